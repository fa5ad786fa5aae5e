#include "controllers/safety/deletion_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace capstan::controllers::safety {
namespace {

constexpr int kOpenings = 100;  // looked at, for one that all share

using Lists = std::vector<const Windows*>;

Lists lists_in(const DeletionRules& rules, Cause cause) {
  Lists lists;
  const auto add = [&](const Windows& each) {
    if (concern(each, cause)) lists.push_back(&each);
  };
  std::ranges::for_each(rules.windows, add);
  add(rules.fleet_windows);
  return lists;
}

// Nothing: not at any of the openings that come.
std::optional<Time> open_together(const Lists& lists, Cause cause, Time at) {
  for (int opening = 0; opening < kOpenings; ++opening) {
    bool open = true;
    for (const Windows* each : lists) {
      const auto verdict = ask_windows(*each, cause, at);
      if (verdict.open) continue;
      if (!verdict.opens_in) return std::nullopt;
      at = at + *verdict.opens_in;
      open = false;
    }
    if (open) return at;
  }
  return std::nullopt;
}

std::string when_together(const Lists& lists, std::optional<Time> at) {
  std::vector<std::string_view> names;
  for (const Windows* each : lists) names.emplace_back(each->of);
  const std::string all = fmt::format("the windows of {}", fmt::join(names, " and "));
  if (at) return fmt::format("{} are open together from {} on", all, at->to_string());
  return fmt::format("{} are open together at none of the next {} openings: let them overlap", all,
                     kOpenings);
}

}  // namespace

WindowVerdict ask_windows(const DeletionRules& rules, Cause cause, Time now) {
  const Lists lists = lists_in(rules, cause);
  WindowVerdict sum;
  bool opens = true;
  for (const Windows* each : lists) {
    const auto verdict = ask_windows(*each, cause, now);
    if (verdict.open) continue;
    sum.why += (sum.open ? "" : "; ") + verdict.why;
    sum.open = false;
    opens = opens && verdict.opens_in;
    if (verdict.opens_in)
      sum.opens_in = std::min(*verdict.opens_in, sum.opens_in.value_or(*verdict.opens_in));
  }
  if (sum.open || lists.size() == 1 || !opens) return sum;
  const auto together = open_together(lists, cause, now);
  const bool is_said = together && *together == now + *sum.opens_in;
  if (!is_said) sum.why += "; " + when_together(lists, together);
  return sum;
}

}  // namespace capstan::controllers::safety
