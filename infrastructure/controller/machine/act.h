// Carries out the plan: speaks to the driver and writes identity and finalizer. Every action may be repeated
// after a crash at any point: the instance key is in the spec before the cloud hears of it, and a VM that may
// be there is looked for before one is made. Blocks as client and driver do.
#pragma once

#include "infrastructure/controller/machine/effects.h"
#include "infrastructure/controller/machine/observation.h"
#include "infrastructure/controller/machine/plan.h"
#include "infrastructure/controller/turn.h"

namespace capstan::infrastructure::machine {

Effects act(const ActContext& with, const Observation& seen, const Plan& plan);

}  // namespace capstan::infrastructure::machine
