// Machines of a MachineSet that have failed and stay for a person to look at them
// (controllers/lifecycle/preservation.h). A set that is being rolled away keeps none. Pure.
#pragma once

#include <optional>
#include <unordered_set>

#include "controllers/machineset/observation.h"

namespace capstan::controllers::machineset {

struct KeptMachines {
  std::unordered_set<api::Uid> uids = {};
  std::optional<Seconds> recheck = {};  // when one of them may have to go

  bool has(const api::Machine& machine) const { return uids.contains(machine.metadata.uid); }
};
KeptMachines kept_machines(const Observation& seen);

}  // namespace capstan::controllers::machineset
