// Carries out the plan: Secret and rights in the workload cluster, the finalizer. Blocks as the clients do.
#pragma once

#include "bootstrap/nodeconfig/effects.h"
#include "bootstrap/nodeconfig/observation.h"
#include "bootstrap/nodeconfig/plan.h"
#include "bootstrap/nodeconfig/turn.h"

namespace capstan::bootstrap::nodeconfig {

// Stops at the first action that fails: the next turn looks at what the ones before it have done.
Effects act(const ActContext& with, const Observation& seen, const Plan& plan);

}  // namespace capstan::bootstrap::nodeconfig
