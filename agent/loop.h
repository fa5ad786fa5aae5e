// Round after round: at once when a watched object changes, every ten minutes else, later and later while
// something fails. Blocks the calling thread.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/agent.h"

namespace capstan::agent {

struct LoopTimes {
  Nanoseconds usual = std::chrono::minutes(10);
  Nanoseconds soon = std::chrono::seconds(5);      // while the machine joins
  Nanoseconds joining = std::chrono::seconds(30);  // the longest then, whatever fails
  Nanoseconds shortest = std::chrono::seconds(2);  // between two rounds that news and troubles bring
};

// How long to wait after a round. Pure: `failures` rounds in a row had troubles; chance in [0, 1).
Nanoseconds pause_after(const Round& round, int failures, WallTime now, double chance,
                        const LoopTimes& times);

// What is waited for between two rounds.
struct Rest {
  std::uint64_t seen = 0;    // of the agent's signal: when it has moved past that, the rest ends
  SteadyTime earliest = {};  // but not before
  SteadyTime latest = {};    // and then it ends anyway
};

// The rounds of run() without the waiting, for a caller that waits for several agents at once.
class Rounds {
 public:
  // All of it lives longer.
  Rounds(Agent& agent, const AgentDeps& deps, const LoopTimes& times = {})
      : agent_(agent), deps_(deps), times_(times) {}
  Rest next(const std::stop_token& stop);

 private:
  Agent& agent_;
  const AgentDeps& deps_;
  const LoopTimes times_;
  std::vector<std::string> known_troubles_ = {};
  int failures_ = 0;
};

// Rounds and pauses, until `stop` is requested.
void run(Agent& agent, const AgentDeps& deps, const std::stop_token& stop, const LoopTimes& times = {});

}  // namespace capstan::agent
