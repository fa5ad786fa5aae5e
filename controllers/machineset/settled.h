// Which Machines were found to be as their set wants them, in which version: looked at again when one of them
// has changed or the set wants them otherwise, so that a large set costs by what changes and not by its size;
// and once a minute at most, because no event tells that a label was taken off one of their objects. Memory
// only: after a restart each Machine is looked at once, and nothing is sent. Safe from any thread.
#pragma once

#include <unordered_map>

#include "base/guarded.h"
#include "controllers/machineset/known_machines.h"
#include "kube/resource.h"

namespace capstan::controllers::machineset {

class Settled {
 public:
  using Known = KnownMachines;

  // Nothing is known any more of a set that wants something else, or was looked at more than a minute ago.
  Known take(const api::MachineSet& set, Time at);
  void put(const kube::ObjectKey& key, Known known);
  void forget(const kube::ObjectKey& key);

 private:
  Guarded<std::unordered_map<kube::ObjectKey, Known>> sets_;
};

}  // namespace capstan::controllers::machineset
