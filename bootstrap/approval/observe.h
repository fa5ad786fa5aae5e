// Gathers what a turn looks at: the CloudConfigs of the Cluster that have a NodeConfig from the cache, and by
// one live read the requests in its workload cluster. A request that is not decided yet costs up to three
// more: its token, its Machine as it is now, a Node of the name it asks for.
#pragma once

#include <optional>

#include "bootstrap/approval/observation.h"
#include "bootstrap/approval/turn.h"

namespace capstan::bootstrap::approval {

// Nothing while the Cluster has no control plane to ask, is paused, goes, or has no agents.
Result<std::optional<Observation>> observe(const TurnContext& with, const ObjectKey& cluster);

}  // namespace capstan::bootstrap::approval
