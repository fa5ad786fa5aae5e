#include "controllers/lifecycle/annotations.h"

#include <fmt/format.h>

#include <charconv>

#include "api/policy/names.h"
#include "controllers/lifecycle/aliases.h"

namespace capstan::controllers::lifecycle {
namespace {

constexpr std::size_t kShown = 32;  // of a value that means nothing

std::optional<std::int32_t> number_in(std::string_view text, const NumberRange& range) {
  std::int32_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  return whole && number >= range.least && number <= range.most ? std::optional(number) : std::nullopt;
}

}  // namespace

WholeNumber whole_number(const api::ObjectMeta& object, std::string_view key, const NumberRange& range) {
  const auto said = lifecycle::said(object.annotations, key);
  if (!said) return {};
  if (const auto number = number_in(said->value, range))
    return {.value = number, .problem = overruled_alias(object.annotations, key)};
  return {.problem =
              fmt::format("annotation {}: {:?} is ignored, a whole {} from {} to {} is meant", said->key,
                          said->value.substr(0, kShown), range.what, range.least, range.most)};
}

Flag flag_in(const api::Labels& values, std::string_view what, std::string_view key) {
  const auto said = lifecycle::said(values, key);
  if (!said) return {};
  if (said->value == "true" || said->value == "false") {
    return {.is_on = said->value == "true", .key = said->key, .problem = overruled_alias(values, key)};
  }
  return {.problem = fmt::format("{} {}: {:?} is ignored, \"true\" is meant", what, said->key,
                                 said->value.substr(0, kShown))};
}

std::int32_t deletion_priority(const api::ObjectMeta& machine) {
  return whole_number(machine, api::policy::annotation::kDeletionPriority, kDeletionPriorities)
      .value.value_or(kDeletionPriority);
}

}  // namespace capstan::controllers::lifecycle
