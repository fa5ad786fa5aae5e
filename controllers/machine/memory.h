// What the Machine controller remembers between turns, and its flags. Losing it costs requests, never
// correctness. Safe from any thread.
#pragma once

#include <set>

#include "controllers/machine/deletion_memory.h"
#include "controllers/machine/gather.h"
#include "controllers/machine/settings.h"
#include "controllers/shared/contests.h"
#include "controllers/shared/live_object.h"
#include "controllers/shared/node_writes.h"

namespace capstan::controllers::machine {

// Machines whose Nodes have been drained while they are preserved, until their annotations say so. Losing it
// costs another look at Pods.
class Emptied {
 public:
  void add(const api::Uid& machine) {
    uids_.with([&](auto& uids) { uids.insert(machine); });
  }
  void erase(const api::Uid& machine) {
    uids_.with([&](auto& uids) { uids.erase(machine); });
  }
  bool contains(const api::Uid& machine) const {
    return uids_.with([&](const auto& uids) { return uids.contains(machine); });
  }

 private:
  Guarded<std::set<api::Uid>> uids_;
};

struct Memory {
  Memory(const Clock& clock, Settings flags)
      : settings(std::move(flags)),
        node_writes(clock),
        live_looks(clock),
        gather(clock, settings.gather),
        deletions(clock) {}

  const Settings settings;
  Contests contests;
  NodeWrites node_writes;
  LiveLooks live_looks;
  Gather gather;
  DeletionMemory deletions;
  Emptied emptied;

  // The Machine is gone.
  void forget(const kube::ObjectKey& machine) {
    contests.forget(machine);
    node_writes.forget(machine);
    live_looks.forget(machine);
    gather.over(machine);
    deletions.forget(machine);
  }
};

}  // namespace capstan::controllers::machine
