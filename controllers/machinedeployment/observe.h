// Gathers what a turn looks at: from caches, through their indexes, except for one live read when the Cluster
// is missing. Visits the MachineSets of the Cluster and the Machines of those that are this deployment's.
#pragma once

#include <optional>

#include "controllers/machinedeployment/memory.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machinedeployment {

// Nothing when the deployment is gone or another shard's.
Result<std::optional<Observation>> observe(const ObserveContext& with, Memory& memory,
                                           const kube::ObjectKey& key);

}  // namespace capstan::controllers::machinedeployment
