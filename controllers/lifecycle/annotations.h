// Numbers and flags that users write into annotations of Machines and Nodes, by keys of ours or by what
// stands for them (aliases.h). A value that means nothing is ignored, and the sentence that says so is handed
// on for a condition, as is a contradiction between two keys. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/meta/object_meta.h"

namespace capstan::controllers::lifecycle {

struct NumberRange {
  std::int32_t least = 0;
  std::int32_t most = 0;
  std::string_view what = {};  // "number of seconds"
};
inline constexpr NumberRange kSecondsOfATimeout = {.least = 1, .most = 604'800, .what = "number of seconds"};
inline constexpr NumberRange kSecondsOfAPreservation = {
    .least = 1, .most = 2'592'000, .what = "number of seconds"};
inline constexpr NumberRange kDeletionPriorities = {.least = -1'000'000, .most = 1'000'000, .what = "number"};
inline constexpr std::int32_t kDeletionPriority = 3;  // of a Machine that says none

struct WholeNumber {
  std::optional<std::int32_t> value = {};  // nothing: there is none, or none that counts
  std::string problem = {};
};
WholeNumber whole_number(const api::ObjectMeta& object, std::string_view key, const NumberRange& range);

// What is switched on with "true". "false" is as good as nothing.
struct Flag {
  bool is_on = false;
  std::string_view key = {};  // that says so
  std::string problem = {};
};
// `what`: "label" or "annotation".
Flag flag_in(const api::Labels& values, std::string_view what, std::string_view key);

// When fewer are wanted.
std::int32_t deletion_priority(const api::ObjectMeta& machine);

}  // namespace capstan::controllers::lifecycle
