// metav1.Status: how an API server says that a request failed (or, in a watch, that the watch did). A value.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "api/schema/field.h"

namespace capstan::api {

struct StatusCause {
  Text reason = {};
  FreeText message = {};
  FreeText field = {};
  bool operator==(const StatusCause&) const = default;
};
template <>
inline constexpr auto members<StatusCause> = std::array{
    member<&StatusCause::reason>("reason"),
    member<&StatusCause::message>("message"),
    member<&StatusCause::field>("field"),
};

struct StatusDetails {
  FreeText name = {};
  Text group = {};
  Text kind = {};
  std::vector<StatusCause> causes = {};
  std::int32_t retry_after_seconds = 0;
  bool operator==(const StatusDetails&) const = default;
};
template <>
inline constexpr auto members<StatusDetails> = std::array{
    member<&StatusDetails::name>("name"),
    member<&StatusDetails::group>("group"),
    member<&StatusDetails::kind>("kind"),
    member<&StatusDetails::causes>("causes"),
    member<&StatusDetails::retry_after_seconds>("retryAfterSeconds"),
};

struct Status {
  Text kind = {};
  Text api_version = {};
  Text status = {};  // "Success" or "Failure"
  FreeText message = {};
  Text reason = {};
  std::int32_t code = 0;
  StatusDetails details = {};
  bool operator==(const Status&) const = default;
};
template <>
inline constexpr auto members<Status> = std::array{
    member<&Status::kind>("kind"),       member<&Status::api_version>("apiVersion"),
    member<&Status::status>("status"),   member<&Status::message>("message"),
    member<&Status::reason>("reason"),   member<&Status::code>("code"),
    member<&Status::details>("details"),
};

}  // namespace capstan::api
