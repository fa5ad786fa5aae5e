// Which bindings are made, repaired or removed in a workload cluster, and which tokens are removed there.
// Pure.
#pragma once

#include "bootstrap/access/observation.h"
#include "bootstrap/access/plan.h"

namespace capstan::bootstrap::access {

Plan decide(const Observation& seen);

}  // namespace capstan::bootstrap::access
