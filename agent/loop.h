// Round after round: at once when a watched object changes, every ten minutes else, later and later while
// something fails. Blocks the calling thread.
#pragma once

#include <stop_token>

#include "agent/agent.h"

namespace capstan::agent {

struct LoopTimes {
  Nanoseconds usual = std::chrono::minutes(10);
  Nanoseconds soon = std::chrono::seconds(5);      // while the machine joins
  Nanoseconds joining = std::chrono::seconds(30);  // the longest then, whatever fails
  Nanoseconds shortest = std::chrono::seconds(2);  // between two rounds, however often things change
};

// How long to wait after a round. Pure: `failures` rounds in a row had troubles; chance in [0, 1).
Nanoseconds pause_after(const Round& round, int failures, WallTime now, double chance,
                        const LoopTimes& times);

// Rounds and pauses, until `stop` is requested.
void run(Agent& agent, const AgentDeps& deps, const std::stop_token& stop, const LoopTimes& times = {});

}  // namespace capstan::agent
