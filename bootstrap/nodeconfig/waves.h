// How far a change of a NodeConfig has come, and which Nodes get it next: one Node first, then twice as many
// as before, as soon as all that have it are done with it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"

namespace capstan::bootstrap::nodeconfig {

// A Node that restarts its kubelet may be NotReady for so long.
inline constexpr Seconds kReadyAgainWithin{60};
inline constexpr std::size_t kErrorsShown = 5;

struct NodeFact {
  std::string name = {};
  bool ready = false;
  Time ready_changed = {};   // when it became so
  std::string applied = {};  // the checksum that it has applied or tried to
  std::string error = {};    // what it could not do of that; empty: nothing
};

// The content that is to get to the Nodes.
struct ContentChange {
  std::string checksum = {};
  std::string released = {};  // the annotation's value; of another checksum: the change has not begun
  Time since = {};            // when it began; a Node that was NotReady before has another reason
  std::int32_t max_failed = 1;
  bool was_stopped = false;  // an earlier look has found that too many failed
};

struct Rollout {
  std::optional<std::string> release = {};  // what the annotation is to say; nothing: it stays
  std::size_t nodes = 0;
  std::size_t up_to_date = 0;             // they report the checksum without an error, and are Ready
  std::size_t failed = 0;                 // they report an error, or turned NotReady after they applied it
  bool stopped = false;                   // as many failed as may: no further Node gets it
  std::vector<std::string> errors = {};   // of the first that failed
  std::vector<std::string> pending = {};  // Nodes that have it released and are not done with it

  bool complete() const { return up_to_date == nodes; }
};
Rollout roll_out(const ContentChange& change, std::vector<NodeFact> nodes, Time now);

}  // namespace capstan::bootstrap::nodeconfig
