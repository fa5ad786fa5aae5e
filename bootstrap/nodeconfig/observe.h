// Gathers what a turn looks at: the NodeConfig, its Cluster and the CloudConfigs that refer to it from
// caches, and in the workload cluster by five live reads Secret, rights and Nodes. All Nodes are listed, for
// the cluster holds few that it is not for.
#pragma once

#include <optional>

#include "bootstrap/nodeconfig/observation.h"
#include "bootstrap/nodeconfig/turn.h"

namespace capstan::bootstrap::nodeconfig {

// Nothing when the object is gone.
std::optional<Observation> observe(const ObserveContext& with, const ObjectKey& key);

}  // namespace capstan::bootstrap::nodeconfig
