// Carries out the plan: tokens in the workload cluster, the data Secret, the finalizer. Blocks as the clients
// do.
#pragma once

#include "bootstrap/controller/effects.h"
#include "bootstrap/controller/observation.h"
#include "bootstrap/controller/plan.h"
#include "bootstrap/controller/turn.h"

namespace capstan::bootstrap::controller {

// Stops at the first action that fails: the next turn looks at what the ones before it have done.
Effects act(const ActContext& with, const Observation& seen, const Plan& plan);

}  // namespace capstan::bootstrap::controller
