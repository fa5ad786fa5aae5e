// Gathers what a turn looks at: the CloudConfigs of the Cluster from the cache, and by two live reads the
// bindings and tokens in its workload cluster. A binding that is missing there costs one more, and a token
// whose CloudConfig is in no cache one of the management cluster.
#pragma once

#include <optional>

#include "bootstrap/access/observation.h"
#include "bootstrap/access/turn.h"

namespace capstan::bootstrap::access {

// Whether some CloudConfig of the Cluster joins machines.
bool joins_machines(const Caches& caches, const ObjectKey& cluster);

// Nothing while the Cluster has no control plane to ask, is paused, or goes with all that is in it.
Result<std::optional<Observation>> observe(const TurnContext& with, const ObjectKey& cluster);

}  // namespace capstan::bootstrap::access
