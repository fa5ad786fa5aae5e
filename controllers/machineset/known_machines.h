// Which Machines of a set were found to be as it wants them, in which version. Kept by settled.h from turn to
// turn, and part of an Observation. A plain value.
#pragma once

#include <unordered_map>

#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_set.h"
#include "base/time.h"

namespace capstan::controllers::machineset {

// What is known of the Machines of one set, as it was then.
struct KnownMachines {
  api::Uid set = {};
  Time since = {};                   // when all of them were looked at
  api::MachineTemplate wanted = {};  // not the generation: a step of a rollout changes the replicas alone
  Text cluster = {};
  Text deployment = {};  // a label of the set that its Machines inherit
  std::unordered_map<api::Uid, api::ResourceVersion> machines = {};

  bool has(const api::Machine& machine) const {
    const auto found = machines.find(machine.metadata.uid);
    return found != machines.end() && found->second == machine.metadata.resource_version;
  }
};

}  // namespace capstan::controllers::machineset
