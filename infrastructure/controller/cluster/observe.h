// Gathers what a turn looks at: from caches, and from what was remembered. Visits two objects and two indexes
// per turn; no live read.
#pragma once

#include <optional>

#include "infrastructure/controller/cluster/memory.h"
#include "infrastructure/controller/cluster/observation.h"
#include "infrastructure/controller/turn.h"

namespace capstan::infrastructure::cluster {

// Nothing when the object is gone.
std::optional<Observation> observe(const ObserveContext& with, const Memory& memory, const ObjectKey& key);

}  // namespace capstan::infrastructure::cluster
