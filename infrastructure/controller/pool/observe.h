// What the DriverMachinePool controller looks at before it decides: the object, the MachinePool and the
// Cluster it belongs to and, where instances have Machines, each DriverMachine with its Machine. Visits the
// members of one pool per turn.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/time.h"
#include "infrastructure/controller/caches.h"

namespace capstan::infrastructure::pool {

struct Member {
  Snapshot<api::DriverMachine> object = {};  // never null
  Snapshot<api::Machine> machine = {};       // null: none yet, or not in the cache
};

struct Observation {
  Time now = {};
  bool fresh = true;                             // the cache knows all we wrote
  Snapshot<api::DriverMachinePool> object = {};  // never null
  Snapshot<api::MachinePool> owner = {};         // null: none yet, or not in the cache
  Snapshot<api::Cluster> cluster = {};
  std::vector<Member> members = {};  // by name

  bool with_machines() const { return object->spec.with_machines.value_or(false); }
};

// Nothing when the object is gone.
std::optional<Observation> observe(const Caches& caches, const Clock& clock, const ObjectKey& key);

// On its way out, or its Machine is.
bool leaves(const Member& member);
// The cloud has lost its VM, and makes no other for it.
bool has_lost_its_vm(const Member& member);
// A health check found it sick and left it to its owner, which of a pool's Machines is its infrastructure.
bool is_handed_over(const api::Machine& machine);
bool is_handed_over(const Member& member);
// It was handed over, and the health check finds it well by now.
bool is_well_again(const api::Machine& machine);

}  // namespace capstan::infrastructure::pool
