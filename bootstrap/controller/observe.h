// Gathers what a turn looks at, from caches: the object, the Machine or MachinePool and the Cluster it
// belongs to, the NodeConfig it refers to. Visits four objects per turn; what is read live of a machine that
// joins or leaves says live.h.
#pragma once

#include <optional>

#include "bootstrap/controller/observation.h"
#include "bootstrap/controller/turn.h"

namespace capstan::bootstrap::controller {

// Nothing when the object is gone.
std::optional<Observation> observe(const ObserveContext& with, const ObjectKey& key);

}  // namespace capstan::bootstrap::controller
