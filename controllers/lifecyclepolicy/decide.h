// Which failed Machines the policy preserves without being asked for, and which not any longer. Pure:
// everything it needs is in the Observation.
#pragma once

#include "controllers/lifecyclepolicy/plan.h"

namespace capstan::controllers::lifecyclepolicy {

Plan decide(const Observation& seen);

}  // namespace capstan::controllers::lifecyclepolicy
