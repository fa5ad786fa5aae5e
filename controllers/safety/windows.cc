#include "controllers/safety/windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/safeguards.h"

namespace capstan::controllers::safety {
namespace {

constexpr std::array<std::pair<Cause, std::string_view>, 5> kCauses = {
    {{Cause::Remediation, "Remediation"},
     {Cause::Rollout, "Rollout"},
     {Cause::ScaleIn, "ScaleIn"},
     {Cause::Orphans, "Orphans"},
     {Cause::PreservationEnded, "PreservationEnded"}}};

struct Opening {
  Time at = {};
  const Window* window = nullptr;
};

bool is_for(const Window& window, Cause cause) {
  return std::ranges::find(window.causes, cause) != window.causes.end();
}

// It opened less than its duration ago.
bool is_open(const Window& window, Time now) {
  if (!window.cron) return false;
  const auto last = next_moment(*window.cron, window.zone, now + -window.duration);
  return last && *last <= now;
}

std::optional<Opening> next_opening(const std::vector<const Window*>& windows, Time now) {
  std::optional<Opening> next;
  for (const Window* window : windows) {
    const auto at = window->cron ? next_moment(*window->cron, window->zone, now) : std::nullopt;
    if (at && (!next || *at < next->at)) next = Opening{.at = *at, .window = window};
  }
  return next;
}

std::string why_never(const std::vector<const Window*>& windows) {
  std::string text;
  for (const Window* window : windows)
    if (!window->problem.empty()) text += (text.empty() ? "" : "; ") + window->problem;
  return text;
}

}  // namespace

std::string_view to_string(Cause cause) {
  return std::ranges::find(kCauses, cause, &std::pair<Cause, std::string_view>::first)->second;
}

std::optional<Cause> parse_cause(std::string_view name) {
  const auto* found = std::ranges::find(kCauses, name, &std::pair<Cause, std::string_view>::second);
  return found == kCauses.end() ? std::nullopt : std::optional(found->first);
}

std::vector<std::string> problems_of(const Windows& windows) {
  std::vector<std::string> problems;
  for (const Window& window : windows.list)
    if (!window.problem.empty()) problems.push_back(window.problem);
  return problems;
}

bool concern(const Windows& windows, Cause cause) {
  return std::ranges::any_of(windows.list, [&](const Window& window) { return is_for(window, cause); });
}

WindowVerdict ask_windows(const Windows& windows, Cause cause, Time now) {
  std::vector<const Window*> concerned;
  for (const Window& window : windows.list)
    if (is_for(window, cause)) concerned.push_back(&window);
  const bool open =
      std::ranges::any_of(concerned, [&](const Window* window) { return is_open(*window, now); });
  if (concerned.empty() || open || is_off(Safeguard::Windows)) return {};
  const auto next = next_opening(concerned, now);
  if (!next)
    return {.open = false,
            .why = fmt::format("no window of {} opens for {}: {}", windows.of, to_string(cause),
                               why_never(concerned))};
  return {.open = false,
          .why = fmt::format("outside the windows of {} for {}: the next one opens at {} ({})", windows.of,
                             to_string(cause), next->at.to_string(), next->window->text),
          .opens_in = next->at - now};
}

}  // namespace capstan::controllers::safety
