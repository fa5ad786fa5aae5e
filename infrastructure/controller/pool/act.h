// Carries out the plan: speaks to the driver, or makes and removes DriverMachines and Machines. Every action
// may be repeated after a crash at any point: a VM is made under a key that follows from its place, and a
// DriverMachine mints its own. Blocks as client and driver do; several calls to a driver run at once.
#pragma once

#include "infrastructure/controller/pool/effects.h"
#include "infrastructure/controller/pool/observation.h"
#include "infrastructure/controller/pool/plan.h"
#include "infrastructure/controller/turn.h"

namespace capstan::infrastructure::pool {

Effects act(const ActContext& with, const Observation& seen, const Plan& plan);

}  // namespace capstan::infrastructure::pool
