// Carries out the plan in the workload cluster. Blocks as the client does.
#pragma once

#include "bootstrap/access/observation.h"
#include "bootstrap/access/plan.h"
#include "bootstrap/access/turn.h"

namespace capstan::bootstrap::access {

// The first error is the last action: the next turn looks at what the ones before it have done.
Result<void> act(const TurnContext& with, const Observation& seen, const Plan& plan);

}  // namespace capstan::bootstrap::access
