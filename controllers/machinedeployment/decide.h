// What is to become of a MachineDeployment: which MachineSets are made, changed and removed next. Pure; the
// arithmetic of rollouts is in rollout/.
#pragma once

#include "controllers/machinedeployment/plan.h"

namespace capstan::controllers::machinedeployment {

Plan decide(const Observation& seen);

}  // namespace capstan::controllers::machinedeployment
