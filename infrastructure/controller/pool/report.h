// The status a DriverMachinePool deserves after a turn. Pure: nothing new is read here.
#pragma once

#include "infrastructure/controller/pool/decide.h"
#include "infrastructure/controller/pool/effects.h"

namespace capstan::infrastructure::pool {

api::DriverMachinePool report(const Observation& seen, const Plan& plan, const Effects& effects);

}  // namespace capstan::infrastructure::pool
