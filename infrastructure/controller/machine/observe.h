// Gathers what a turn looks at: from caches, and what the cloud's last list said. Visits five objects and one
// index per turn; no live read.
#pragma once

#include <optional>

#include "infrastructure/controller/machine/observation.h"
#include "infrastructure/controller/turn.h"

namespace capstan::infrastructure::machine {

// Nothing when the object is gone.
std::optional<Observation> observe(const ObserveContext& with, const ObjectKey& key);

}  // namespace capstan::infrastructure::machine
