// A server's refusal as an Error: HTTP code, Status body (or what some proxy sent instead) and Retry-After.
// RemoteClient and the watcher use it; how much of it is repeated, kube/quoting.h says. Pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "api/meta/status.h"
#include "base/error.h"
#include "kube/quoting.h"

namespace capstan::kube {

// What the request asked for decides what two answers mean: a 404 that is no Status does not prove that an
// object is gone (the kind may not be served, a proxy may have spoken), and a 5xx leaves open whether a write
// took effect.
enum class Asked { Object, Write, Path };

struct Refusal {
  int code = 0;
  std::string_view body = {};
  std::optional<std::string_view> retry_after = {};  // the header
};
Error error_of(const Refusal& refusal, Asked asked, Quoting quoting = Quoting::Everything);

// The Status of an ERROR event.
Error error_of(const api::Status& status, Quoting quoting = Quoting::Everything);

// Reason of the error for a 404 that is no Status; its code is Unavailable.
inline constexpr std::string_view kNotServed = "NotServed";

}  // namespace capstan::kube
