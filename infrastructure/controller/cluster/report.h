// The status a DriverCluster deserves after a turn, and what of it is news. Pure: nothing new is read here.
#pragma once

#include <vector>

#include "infrastructure/controller/cluster/effects.h"
#include "infrastructure/controller/cluster/observation.h"
#include "infrastructure/controller/cluster/plan.h"

namespace capstan::infrastructure::cluster {

struct Reported {
  api::DriverCluster after = {};
  std::vector<runtime::Note> notes = {};  // for Events
};
Reported report(const Observation& seen, const Plan& plan, const Effects& effects);

}  // namespace capstan::infrastructure::cluster
