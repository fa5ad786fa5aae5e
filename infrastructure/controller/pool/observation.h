// All that a turn of a DriverMachinePool looks at: the object, its MachinePool and Cluster and, where
// instances have Machines, each DriverMachine with its Machine. Gathered by observe.h, judged by decide.h and
// report.h. A plain value.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "api/driver/driver_cluster.h"
#include "api/driver/driver_machine.h"
#include "api/driver/driver_machine_pool.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine_pool.h"
#include "infrastructure/controller/pool/refusal.h"
#include "runtime/index.h"

namespace capstan::infrastructure::pool {

using runtime::Snapshot;

struct Member {
  Snapshot<api::DriverMachine> object = {};  // never null
  Snapshot<api::Machine> machine = {};       // null: none yet, or not in the cache
  bool operator==(const Member&) const = default;
};

struct Observation {
  Time now = {};
  bool fresh = true;                             // the cache knows all we wrote
  Snapshot<api::DriverMachinePool> object = {};  // never null
  Snapshot<api::MachinePool> owner = {};         // null: none yet, or not in the cache
  Snapshot<api::Cluster> cluster = {};
  Snapshot<api::DriverCluster> driver_cluster =
      {};                               // null: infrastructure of another kind, or not in the cache
  std::vector<Member> members = {};     // by name
  std::optional<Refusal> refusal = {};  // of a group's last creation, while it stands

  bool with_machines() const { return object->spec.with_machines.value_or(false); }
};

// What the tags of VMs say of the cluster they belong to; empty: the cluster has no key.
std::string_view cluster_key_for(const Observation& seen);

// On its way out, or its Machine is.
bool leaves(const Member& member);
// It has a VM and stays.
bool works(const Member& member);
// The cloud has lost its VM, and makes no other for it.
bool has_lost_its_vm(const Member& member);
// A health check found it sick and left it to its owner, which of a pool's Machines is its infrastructure.
bool is_handed_over(const api::Machine& machine);
bool is_handed_over(const Member& member);
// It was handed over, and the health check finds it well by now.
bool is_well_again(const api::Machine& machine);

}  // namespace capstan::infrastructure::pool
