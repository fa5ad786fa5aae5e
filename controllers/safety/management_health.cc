#include "controllers/safety/management_health.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace capstan::controllers::safety {
namespace {

Time wall_time_of(SteadyTime moment, const Clock& clock) {
  return Time::from(clock.now() - (clock.steady_now() - moment));
}

using Watches = std::vector<std::pair<const runtime::InformerState*, kube::WatchProgress>>;

// Kinds that are not installed are not listed.
Watches listed(const std::vector<runtime::InformerState*>& informers) {
  Watches watches;
  for (const auto* informer : informers) {
    auto progress = informer->progress();
    if (progress.lists > 0) watches.emplace_back(informer, std::move(progress));
  }
  return watches;
}

// Not set: never.
Time last_heard(const Watches& watches, const Clock& clock) {
  SteadyTime last = SteadyTime::min();
  for (const auto& [informer, progress] : watches) last = std::max(last, progress.last_received);
  return last == SteadyTime::min() ? Time() : wall_time_of(last, clock);
}

// When the first of the others was heard again after that.
std::optional<SteadyTime> first_recovery(const Watches& watches, SteadyTime after) {
  std::optional<SteadyTime> first;
  for (const auto& [informer, progress] : watches) {
    if (!progress.trouble && progress.recovered > after)
      first = std::min(first.value_or(progress.recovered), progress.recovered);
  }
  return first;
}

}  // namespace

ApiHealth management_health(const std::vector<runtime::InformerState*>& informers, const Clock& clock,
                            Seconds grace) {
  const Watches watches = listed(informers);
  if (watches.empty()) return {.failing = true};
  if (std::ranges::all_of(watches, [](const auto& each) { return each.second.trouble.has_value(); }))
    return {.failing = true,
            .last_heard = last_heard(watches, clock),
            .problem = watches.back().second.trouble->message};
  for (const auto& [informer, progress] : watches) {
    if (!progress.trouble) continue;
    const auto recovery = first_recovery(watches, progress.trouble_since);
    if (recovery && *recovery - progress.trouble_since > grace)
      return {.failing = true,
              .last_heard = wall_time_of(progress.trouble_since, clock),
              .problem = fmt::format("it answers again, but not yet the watch of {}: {}",
                                     informer->cache().kind(), progress.trouble->message)};
  }
  return {.last_heard = last_heard(watches, clock)};
}

}  // namespace capstan::controllers::safety
