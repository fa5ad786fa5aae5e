#include "controllers/safety/management_health.h"

#include <fmt/format.h>

#include <algorithm>
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

// Whether all of them failed at once for that long, until the first was answered: a kind that fails alone is
// no loss.
bool were_lost(const Watches& watches, Seconds grace) {
  SteadyTime begin = SteadyTime::min();
  SteadyTime end = SteadyTime::max();
  for (const auto& [informer, progress] : watches) {
    begin = std::max(begin, progress.trouble_since);
    if (!progress.trouble) end = std::min(end, progress.recovered);
  }
  return end > begin && end - begin > grace;
}

// One that is not installed any more will not be answered.
bool is_behind(const kube::WatchProgress& progress) {
  return progress.trouble && progress.trouble->code != Code::NotFound;
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
  const auto behind = std::ranges::find_if(watches, [](const auto& each) { return is_behind(each.second); });
  if (behind != watches.end() && were_lost(watches, grace))
    return {.failing = true,
            .last_heard = wall_time_of(behind->second.trouble_since, clock),
            .problem = fmt::format("it answers again, but not yet the watch of {}: {}",
                                   behind->first->cache().kind(), behind->second.trouble->message)};
  return {.last_heard = last_heard(watches, clock)};
}

}  // namespace capstan::controllers::safety
