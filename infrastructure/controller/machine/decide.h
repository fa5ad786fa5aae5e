// What is to become of a DriverMachine and its VM. Pure.
#pragma once

#include "infrastructure/controller/machine/observation.h"
#include "infrastructure/controller/machine/plan.h"

namespace capstan::infrastructure::machine {

Plan decide(const Observation& seen);

}  // namespace capstan::infrastructure::machine
