// The status a DriverMachine deserves after a turn, and what of it is news. Pure: nothing new is read here.
#pragma once

#include <vector>

#include "infrastructure/controller/machine/effects.h"
#include "infrastructure/controller/machine/observation.h"
#include "infrastructure/controller/machine/plan.h"

namespace capstan::infrastructure::machine {

struct Reported {
  api::DriverMachine after = {};
  std::vector<runtime::Note> notes = {};  // for Events
};
Reported report(const Observation& seen, const Plan& plan, const Effects& effects);

}  // namespace capstan::infrastructure::machine
