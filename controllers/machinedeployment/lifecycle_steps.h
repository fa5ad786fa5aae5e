// What a MachineDeployment decides about the life of its Machines, beside its rollout: which Unhealthy ones
// may be replaced now, and which entries of the annotation capstan.dev/victims still stand. Used by decide.h.
// Pure.
#pragma once

#include <cstdint>

#include "controllers/machinedeployment/plan.h"

namespace capstan::controllers::machinedeployment {

inline constexpr Seconds kHeldRecheck{15};  // of a brake, which wakes no deployment

void grant_replacements(const Observation& seen, Plan& plan);
void settle_victims(const Observation& seen, Plan& plan);
// Machines that have failed and are preserved: the condition Available does not count on them.
std::int64_t preserved_failures(const Observation& seen);

}  // namespace capstan::controllers::machinedeployment
