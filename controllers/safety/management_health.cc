#include "controllers/safety/management_health.h"

#include <algorithm>

namespace capstan::controllers::safety {
namespace {

Time wall_time_of(SteadyTime moment, const Clock& clock) {
  return Time::from(clock.now() - (clock.steady_now() - moment));
}

}  // namespace

// Kinds that are not installed are not listed.
ApiHealth management_health(const std::vector<runtime::InformerState*>& informers, const Clock& clock) {
  SteadyTime last = SteadyTime::min();
  bool failing = true;
  std::string problem;
  for (const auto* informer : informers) {
    const auto progress = informer->progress();
    if (progress.lists == 0) continue;
    last = std::max(last, progress.last_received);
    failing = failing && progress.trouble.has_value();
    if (progress.trouble) problem = progress.trouble->message;
  }
  if (last == SteadyTime::min()) return {.failing = failing, .problem = problem};
  return {.failing = failing,
          .last_heard = wall_time_of(last, clock),
          .problem = failing ? problem : std::string()};
}

}  // namespace capstan::controllers::safety
