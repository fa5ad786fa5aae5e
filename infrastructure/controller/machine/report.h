// The status a DriverMachine deserves after a turn. Pure: nothing new is read here.
#pragma once

#include "infrastructure/controller/machine/decide.h"
#include "infrastructure/controller/machine/effects.h"

namespace capstan::infrastructure::machine {

api::DriverMachine report(const Observation& seen, const Plan& plan, const Effects& effects);

}  // namespace capstan::infrastructure::machine
