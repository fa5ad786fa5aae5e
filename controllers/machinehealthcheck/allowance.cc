#include "controllers/machinehealthcheck/allowance.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/int_or_string.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

constexpr std::string_view kTooMany =
    "Remediation is not allowed, the number of not started or unhealthy machines ";
constexpr std::string_view kEverything = "100%";

struct Range {
  std::int32_t first = 0;
  std::int32_t last = 0;
};

std::optional<std::int32_t> number(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "[2-5]"
std::optional<Range> parse_range(std::string_view text) {
  if (text.size() < 5 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = number(text.substr(0, dash));
  const auto last = number(text.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first) return std::nullopt;
  return Range{*first, *last};
}

Allowance invalid(std::string message) {
  return {.state = Allowance::State::Invalid, .message = std::move(message)};
}

Allowance by_range(std::string_view text, const Counts& counts, std::int32_t not_healthy) {
  const auto range = parse_range(text);
  if (!range)
    return invalid(
        fmt::format("spec.remediation.triggerIf.unhealthyInRange: {} is no range; write [a-b] with "
                    "a not above b",
                    text));
  if (not_healthy >= range->first && not_healthy <= range->last)
    return {.remediations_allowed = range->last - not_healthy};
  return {.state = Allowance::State::Restricted,
          .message =
              fmt::format("{}does not fall within the range (total: {}, unhealthy: {}, unhealthyRange: {})",
                          kTooMany, counts.targets, counts.unhealthy, text)};
}

Allowance by_limit(const IntOrString& limit, const Counts& counts, std::int32_t not_healthy) {
  const auto most = scaled_value(limit, counts.targets, Rounding::Down);
  if (!most) return invalid("spec.remediation.triggerIf.unhealthyLessThanOrEqualTo: " + most.error().message);
  if (not_healthy <= *most) return {.remediations_allowed = *most - not_healthy};
  return {.state = Allowance::State::Restricted,
          .message = fmt::format("{}exceeds maxUnhealthy (total: {}, unhealthy: {}, maxUnhealthy: {})",
                                 kTooMany, counts.targets, counts.unhealthy, limit.to_string())};
}

}  // namespace

Allowance allowance(const api::RemediationTrigger& limits, const Counts& counts,
                    const runtime::Verdict& brake) {
  const std::int32_t not_healthy = counts.targets - counts.healthy;
  Allowance answer =
      !limits.unhealthy_in_range.empty()
          ? by_range(limits.unhealthy_in_range, counts, not_healthy)
          : by_limit(limits.unhealthy_less_than_or_equal_to.value_or(IntOrString(Text(kEverything))), counts,
                     not_healthy);
  if (answer.allowed() && !brake.open)
    return {.state = Allowance::State::Held, .message = "Remediation is not allowed: " + brake.why};
  return answer;
}

}  // namespace capstan::controllers::machinehealthcheck
