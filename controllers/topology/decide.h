// Whether a MachineDeployment or MachineSet of a topology gets its finalizer, and what goes with it. Pure.
#pragma once

#include "controllers/topology/plan.h"

namespace capstan::controllers::topology {

Plan decide(const Observation& seen);

}  // namespace capstan::controllers::topology
