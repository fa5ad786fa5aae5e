// status.deprecated.v1beta1.conditions of a MachineDeployment, for clients of the older API generation. Pure.
#pragma once

#include "controllers/machinedeployment/plan.h"

namespace capstan::controllers::machinedeployment {

// Counts from `old`, which has its counters already.
void set_v1beta1_conditions(const Observation& seen, const Plan& plan,
                            api::V1Beta1MachineDeploymentStatus& old);

}  // namespace capstan::controllers::machinedeployment
