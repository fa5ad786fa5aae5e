// What the annotation capstan.dev/rollback-to on a MachineDeployment comes to: its template becomes that of
// an earlier revision, or an Event says why not. Used by decide.h. Pure.
#pragma once

#include "controllers/machinedeployment/plan.h"

namespace capstan::controllers::machinedeployment {

// Nothing: none is asked for, or caches lag behind. The plan holds nothing but the rollback.
std::optional<Plan> plan_rollback(const Observation& seen);

}  // namespace capstan::controllers::machinedeployment
