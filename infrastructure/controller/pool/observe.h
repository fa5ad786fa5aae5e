// Gathers what a turn looks at, from caches. Visits the members of one pool per turn; no live read. What the
// cloud lists of a pool without Machines is asked for by act.h, and judged by sizing.h.
#pragma once

#include <optional>

#include "infrastructure/controller/pool/observation.h"
#include "infrastructure/controller/turn.h"

namespace capstan::infrastructure::pool {

// Nothing when the object is gone.
std::optional<Observation> observe(const ObserveContext& with, const ObjectKey& key);

}  // namespace capstan::infrastructure::pool
