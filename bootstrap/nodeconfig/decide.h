// What is to become of a NodeConfig in its workload cluster: its Secret, the rights of its agents, and which
// Nodes get a change next. Pure.
#pragma once

#include "bootstrap/nodeconfig/observation.h"
#include "bootstrap/nodeconfig/plan.h"

namespace capstan::bootstrap::nodeconfig {

// What does not wake us by itself: Nodes of a workload cluster, and one that answers again.
inline constexpr Seconds kLookAgain{10};
inline constexpr Seconds kLookAtLeastEvery{60};

Plan decide(const Observation& seen);

}  // namespace capstan::bootstrap::nodeconfig
