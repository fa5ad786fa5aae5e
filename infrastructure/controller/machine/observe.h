// What the DriverMachine controller looks at before it decides: the object, the Machine and the Cluster it
// belongs to, and whether the list of VMs agrees with its status. Visits four objects per turn.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/time.h"
#include "infrastructure/controller/caches.h"

namespace capstan::infrastructure::machine {

struct Observation {
  Time now = {};
  bool fresh = true;                         // the cache knows all we wrote
  bool doubted = false;                      // the cloud's list does not agree with the status
  Snapshot<api::DriverMachine> object = {};  // never null
  Snapshot<api::Machine> machine = {};       // null: no owner yet, or not in the cache
  bool in_pool = false;                      // the Machine is one of a MachinePool
  Snapshot<api::MachinePool> pool = {};      // null: not in the cache, or the Machine is in none
  Snapshot<api::Cluster> cluster = {};       // null: not in the cache
};

// The Secret with the bootstrap data: the Machine's own, or the one all Machines of its pool share. Empty:
// none yet.
std::string_view data_secret_of(const Observation& seen);
// Of the Node to be. A Machine of a pool learns its version from its Node only.
std::string_view version_for(const Observation& seen);

// Nothing when the object is gone.
std::optional<Observation> observe(const Caches& caches, const Clock& clock, const ObjectKey& key);

}  // namespace capstan::infrastructure::machine
