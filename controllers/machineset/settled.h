// Which Machines were found to be as their set wants them, in which version: looked at again when one of them
// has changed or the set wants them otherwise, so that a large set costs by what changes and not by its size;
// and once a minute at most, because no event tells that a label was taken off one of their objects. Memory
// only: a restart looks at everyone once, and sends nothing. Safe from any thread.
#pragma once

#include <unordered_map>

#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_set.h"
#include "base/guarded.h"
#include "base/time.h"
#include "kube/resource.h"

namespace capstan::controllers::machineset {

class Settled {
 public:
  // What is known of the Machines of one set, as it was then.
  struct Known {
    api::Uid set = {};
    Time since = {};                   // when everyone was looked at
    api::MachineTemplate wanted = {};  // not the generation: a step of a rollout changes the replicas alone
    Text cluster = {};
    Text deployment = {};  // a label of the set that its Machines inherit
    std::unordered_map<api::Uid, api::ResourceVersion> machines = {};

    bool has(const api::Machine& machine) const {
      const auto found = machines.find(machine.metadata.uid);
      return found != machines.end() && found->second == machine.metadata.resource_version;
    }
  };

  // Nothing is known any more of a set that wants something else, or was looked at more than a minute ago.
  Known take(const api::MachineSet& set, Time at);
  void put(const kube::ObjectKey& key, Known known);
  void forget(const kube::ObjectKey& key);

 private:
  Guarded<std::unordered_map<kube::ObjectKey, Known>> sets_;
};

}  // namespace capstan::controllers::machineset
