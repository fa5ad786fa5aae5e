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
  pause = std::max(pause, times.shortest);
  if (!round.at) return pause;
  // A time to come is kept: news wakes all agents of a cluster in the same moment, and those that have
  // something to do within the shortest pause after it would do it together at its end.
  const Nanoseconds until = *round.at - now;
  return std::min(pause, until > Nanoseconds::zero() ? until : times.shortest);
}

Rest Rounds::next(const std::stop_token& stop) {
  const std::uint64_t seen = deps_.changed.count();
  const Round round = agent_.round(stop);
  failures_ = round.troubles.empty() ? 0 : failures_ + 1;
  log_troubles(deps_.tools.log, round, known_troubles_);
  const Clock& clock = deps_.tools.clock;
  const Nanoseconds pause =
      pause_after(round, failures_, clock.now(), unit_interval(deps_.randomness.next()), times_);
  const SteadyTime ended = clock.steady_now();
  return {.seen = seen, .earliest = ended + std::min(times_.shortest, pause), .latest = ended + pause};
}

void run(Agent& agent, const AgentDeps& deps, const std::stop_token& stop, const LoopTimes& times) {
  Rounds rounds(agent, deps, times);
  Threads& threads = deps.tools.threads;
  while (!stop.stop_requested()) {
    const Rest rest = rounds.next(stop);
    threads.pause({.at = rest.earliest, .stop = stop});
    threads.wait(deps.changed, rest.seen, {.at = rest.latest, .stop = stop});
  }
}

}  // namespace capstan::agent
