// The end of a bootstrap token: its machine has joined, or goes. Pure.
#pragma once

#include "base/instant.h"
#include "bootstrap/controller/observation.h"
#include "bootstrap/controller/plan.h"

namespace capstan::bootstrap::controller {

// A CloudConfig that is deleted waits so long for a workload cluster that does not answer; what is left there
// then ends by its expiry.
inline constexpr Seconds kPatienceAtTheEnd{60};

// The tokens go, then the finalizer.
void plan_removal(const Observation& seen, Plan& plan);

}  // namespace capstan::bootstrap::controller
