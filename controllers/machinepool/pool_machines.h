// The Machines of a MachinePool whose provider has an object for each instance: which are missing, which are
// not as they should be and which have lost their object. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "controllers/machinepool/observation.h"

namespace capstan::controllers::machinepool {

// A Machine as it should be; created or adopted by applying it.
struct MachineWish {
  api::Machine wanted = {};
  Snapshot<api::Machine> present = {};  // null: to be created
};
// Its condition UpToDate, which the pool owns.
struct Mark {
  Snapshot<api::Machine> before = {};
  api::Machine after = {};
};

struct MachinesPlan {
  std::vector<MachineWish> wishes = {};
  std::vector<Snapshot<api::Machine>> without_object = {};  // the provider's object is gone: to be deleted
  std::vector<Mark> marks = {};
  std::vector<std::string> troubles = {};  // why Machines that lack are not made
};
MachinesPlan plan_machines(const Observation& seen);

}  // namespace capstan::controllers::machinepool
