#include "agent/loop.h"

#include <algorithm>

#include "base/backoff.h"

namespace capstan::agent {
namespace {

// Every trouble is logged when it is new, not once a round.
void log_troubles(const Log& log, const Round& round, std::vector<std::string>& known) {
  if (round.troubles == known) return;
  known = round.troubles;
  for (const std::string& trouble : known) log.error("to be tried again", {{"error", trouble}});
  if (known.empty()) log.info("all is well again");
}

}  // namespace

Nanoseconds pause_after(const Round& round, int failures, WallTime now, double chance,
                        const LoopTimes& times) {
  const Backoff backoff{
      .initial = times.soon, .cap = round.waiting ? times.joining : times.usual, .jitter = 0.5};
  Nanoseconds pause = times.usual;
  if (!round.troubles.empty())
    pause = backoff.delay(failures, chance);
  else if (round.waiting)
    pause = times.soon;
  if (round.at) pause = std::min(pause, Nanoseconds(*round.at - now));
  return std::max(pause, times.shortest);
}

void run(Agent& agent, const AgentDeps& deps, const std::stop_token& stop, const LoopTimes& times) {
  const Clock& clock = deps.tools.clock;
  std::vector<std::string> known;
  int failures = 0;
  while (!stop.stop_requested()) {
    const std::uint64_t seen = deps.changed.count();
    const Round round = agent.round(stop);
    failures = round.troubles.empty() ? 0 : failures + 1;
    log_troubles(deps.tools.log, round, known);
    const Nanoseconds pause =
        pause_after(round, failures, clock.now(), unit_interval(deps.randomness.next()), times);
    deps.tools.threads.pause(Deadline::in(clock, times.shortest, stop));
    deps.tools.threads.wait(deps.changed, seen, Deadline::in(clock, pause - times.shortest, stop));
  }
}

}  // namespace capstan::agent
