// Conditions of a MachineDeployment that speak of its numbers. Messages are those users know from upstream.
// Pure.
#pragma once

#include <optional>

#include "api/meta/condition.h"
#include "controllers/machinedeployment/plan.h"

namespace capstan::controllers::machinedeployment {

api::Condition available(const Observation& seen, const api::MachineDeploymentStatus& status);
// See own_condition.h; nothing: no policy governs the life of its Machines.
std::optional<api::Condition> available_under_policy(const Observation& seen,
                                                     const api::MachineDeploymentStatus& status);
// Says also why it can't scale up, or could not.
api::Condition scaling_up(const Observation& seen, const Plan& plan,
                          const api::MachineDeploymentStatus& status);
api::Condition scaling_down(const Observation& seen, const Plan& plan,
                            const api::MachineDeploymentStatus& status);
api::Condition deleting(const Observation& seen);

}  // namespace capstan::controllers::machinedeployment
