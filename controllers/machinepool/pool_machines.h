// The Machines of a MachinePool whose provider has an object for each instance: which are missing, which are
// not as they should be and which have lost their object. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "controllers/machinepool/plan.h"

namespace capstan::controllers::machinepool {

struct MachinesPlan {
  std::vector<Action> actions = {};
  bool unfinished = false;                 // there are too many to be created in one turn
  std::vector<std::string> troubles = {};  // why Machines that lack are not made
  std::size_t held = 0;                    // Machines without an object that a shut brake keeps
};
MachinesPlan plan_machines(const Observation& seen);

}  // namespace capstan::controllers::machinepool
