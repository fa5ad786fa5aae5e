// The status a CloudConfig deserves after a turn, and what of it is news. Pure: nothing new is read here.
#pragma once

#include <vector>

#include "bootstrap/controller/effects.h"
#include "bootstrap/controller/observation.h"
#include "bootstrap/controller/plan.h"

namespace capstan::bootstrap::controller {

struct Reported {
  api::CloudConfig after = {};
  std::vector<runtime::Note> notes = {};  // for Events
};
Reported report(const Observation& seen, const Plan& plan, const Effects& effects);

}  // namespace capstan::bootstrap::controller
