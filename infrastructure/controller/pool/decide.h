// What is to become of a DriverMachinePool: how large it is to be and, where instances have Machines, which
// are missing and which are too many. Pure.
#pragma once

#include "infrastructure/controller/pool/observation.h"
#include "infrastructure/controller/pool/plan.h"

namespace capstan::infrastructure::pool {

Plan decide(const Observation& seen);

}  // namespace capstan::infrastructure::pool
