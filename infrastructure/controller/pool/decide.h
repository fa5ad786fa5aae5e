// What is to become of the VMs of a DriverMachinePool: which are missing and which are too many. Pure; a VM
// of the group has a place, a number that is part of its name and of its instance key.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/driver/driver_machine_pool.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine_pool.h"
#include "infrastructure/driver.h"
#include "runtime/paused.h"
#include "runtime/store.h"

namespace capstan::infrastructure::pool {

using runtime::Snapshot;

struct Observation {
  Time now = {};
  bool fresh = true;                             // the cache knows all we wrote
  Snapshot<api::DriverMachinePool> object = {};  // never null
  Snapshot<api::MachinePool> owner = {};         // null: none yet, or not in the cache
  Snapshot<api::Cluster> cluster = {};
};

enum class Step {
  Rest,
  Wait,    // somebody else's turn first: `reason` and `message` say whose
  Size,    // bring the group to its size
  Remove,  // all VMs, then the finalizer
};

struct Plan {
  Step step = Step::Rest;
  runtime::Paused paused = {};
  std::string_view reason = {};
  std::string message = {};
};
Plan decide(const Observation& seen);

// Given what the cloud lists.
struct Sizing {
  std::vector<std::size_t> missing = {};  // places
  std::vector<Vm> victims = {};
  std::vector<Vm> staying = {};  // by place
};
Sizing size(const Observation& seen, const std::vector<Vm>& listed);

std::string vm_name(const api::DriverMachinePool& pool, std::size_t place);
std::string instance_key(const api::DriverMachinePool& pool, std::size_t place);

}  // namespace capstan::infrastructure::pool
