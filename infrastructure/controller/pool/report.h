// The status a DriverMachinePool deserves after a turn, and what of it is news. Pure: nothing new is read
// here.
#pragma once

#include <vector>

#include "infrastructure/controller/pool/effects.h"
#include "infrastructure/controller/pool/observation.h"
#include "infrastructure/controller/pool/plan.h"

namespace capstan::infrastructure::pool {

struct Reported {
  api::DriverMachinePool after = {};
  std::vector<runtime::Note> notes = {};  // for Events
};
Reported report(const Observation& seen, const Plan& plan, const Effects& effects);

}  // namespace capstan::infrastructure::pool
