// What the MachinePool controller looks at before it decides: the pool, its Cluster, the provider's objects
// behind it, the Nodes of its instances and, where the provider has them, its Machines. Visits the instances
// of the pool. A plain value; observe() reads caches and never blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "controllers/machine/observe.h"
#include "controllers/shared/deps.h"

namespace capstan::controllers::machinepool {

using machine::ExternalSeen;

// One providerID of the list as it will be, and the Node that has it.
struct Instance {
  Text provider_id = {};
  Snapshot<api::Node> node = {};   // null: none, or several
  std::vector<Text> doubles = {};  // names, when there are several
  bool has_machine = false;        // whose controller looks after the Node
};

// Machines of the pool, where its provider has an object for each instance.
struct MachinesSeen {
  enum class State {
    Unsupported,  // the provider has none
    Unknown,      // `problem` says why they can't be listed; empty: not yet
    Known,
  };
  State state = State::Unsupported;
  kube::Resource resource = {};  // of the provider's objects
  std::string problem = {};
  std::vector<Snapshot<api::contract::ContractObject>> objects = {};
  std::vector<Snapshot<api::Machine>> machines = {};  // controlled by the pool, or by nobody yet
};

struct Observation {
  Time now = {};
  bool fresh = true;                     // otherwise nothing may be created or deleted
  Snapshot<api::MachinePool> pool = {};  // never null
  Snapshot<api::Cluster> cluster = {};   // null: not in the cache
  ExternalSeen bootstrap = {};
  ExternalSeen infra = {};
  std::vector<Text> taken = {};   // providerIDs of a new list that another pool has: "pool: id"
  bool emptied_for_sure = false;  // an empty list was seen for the second time, by a live read
  kubeconfig::Reach reach = {};
  std::vector<Instance> instances = {};          // empty while not connected
  std::vector<Snapshot<api::Node>> former = {};  // those of status.nodeRefs that still exist
  MachinesSeen machines = {};
  // Null while not connected; act's, not decide's.
  std::shared_ptr<kubeconfig::WorkloadCluster> workload = {};

  bool deleting() const { return pool->metadata.deleting(); }
  bool connected() const { return workload != nullptr; }
};

// Reads everything but `emptied_for_sure`.
Observation observe(const Deps& deps, const Host& host, bool fresh, Snapshot<api::MachinePool> pool);

}  // namespace capstan::controllers::machinepool
