// Gathers what a turn looks at: from caches, through their indexes, without a live read. Visits the
// MachineDeployments, MachineSets and MachinePools of one namespace.
#pragma once

#include <optional>

#include "controllers/lifecyclepolicy/observation.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::lifecyclepolicy {

// Nothing when the policy is gone, on its way out, or another shard's.
std::optional<Observation> observe(const ObserveContext& with, const kube::ObjectKey& key);

}  // namespace capstan::controllers::lifecyclepolicy
