// All that a turn of a DriverMachine looks at. Gathered by observe.h, judged by decide.h and report.h. A
// plain value.
#pragma once

#include <string_view>

#include "api/driver/driver_cluster.h"
#include "api/driver/driver_machine.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine_pool.h"
#include "runtime/index.h"

namespace capstan::infrastructure::machine {

using runtime::Snapshot;

struct Observation {
  Time now = {};
  bool fresh = true;                         // the cache knows all we wrote
  bool doubted = false;                      // the cloud's list does not agree with the status
  Snapshot<api::DriverMachine> object = {};  // never null
  bool claimed_twice = false;                // another object names its VM, too; known while it is deleted
  Snapshot<api::Machine> machine = {};       // null: no owner yet, or not in the cache
  bool in_pool = false;                      // the Machine is one of a MachinePool
  Snapshot<api::MachinePool> pool = {};      // null: not in the cache, or the Machine is in none
  Snapshot<api::Cluster> cluster = {};       // null: not in the cache
  // Of that Cluster; null: not in the cache, or the Cluster has infrastructure of another kind.
  Snapshot<api::DriverCluster> driver_cluster = {};
};

// The Secret with the bootstrap data: the Machine's own, or the one all Machines of its pool share. Empty:
// none yet.
std::string_view data_secret_of(const Observation& seen);
// Of the Node to be. A Machine of a pool learns its version from its Node only.
std::string_view version_for(const Observation& seen);
// Where the VM is to be; empty: the driver chooses.
std::string_view failure_domain_for(const Observation& seen);
// What its tags say of the cluster it belongs to; empty: the cluster has no key.
std::string_view cluster_key_for(const Observation& seen);

}  // namespace capstan::infrastructure::machine
