// Gathers what a turn of a Cluster looks at: from caches, visiting the Machines, sets, deployments and pools
// of this Cluster; of a Cluster whose Machines are gone also from live reads, where no cache shows a
// provider's object.
#pragma once

#include <optional>

#include "controllers/cluster/memory.h"
#include "controllers/cluster/observation.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::cluster {

// Nothing when the Cluster is gone or another shard's.
std::optional<Observation> observe(const ObserveContext& with, Memory& memory, const kube::ObjectKey& key);

}  // namespace capstan::controllers::cluster
