// The status a NodeConfig deserves after a turn that went well, and what of it is news. Pure: nothing new is
// read here.
#pragma once

#include <vector>

#include "bootstrap/nodeconfig/observation.h"
#include "bootstrap/nodeconfig/plan.h"

namespace capstan::bootstrap::nodeconfig {

struct Reported {
  api::NodeConfig after = {};
  std::vector<runtime::Note> notes = {};  // for Events
};
Reported report(const Observation& seen, const Plan& plan);

}  // namespace capstan::bootstrap::nodeconfig
