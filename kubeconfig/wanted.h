// Which clusters the registry shall be connected to, from what happens to Clusters: those whose
// infrastructure is provisioned, until they are gone. Paused or being deleted makes no difference: Nodes of a
// cluster that goes are drained like any other. Used by wiring.
#pragma once

#include <string>

#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_pool.h"
#include "runtime/store.h"

namespace capstan::kubeconfig {

class WorkloadRegistry;

enum class Wish {
  Nothing,
  Want,
  Hurry,  // a try is worth more now than it was a moment ago
  Forget,
  Anew,  // another Cluster of the same name: forget the old one, want this one
};

// Pure.
Wish wish_after(const runtime::Change<api::Cluster>& change);

// The objects of a manager that shares them with others by the label watch-filter.
struct Shard {
  std::string watch_filter = {};
  runtime::Store<api::Machine>& machines;
  runtime::Store<api::MachinePool>& machine_pools;
};

// From now on, before the informers start that feed the stores. The registry outlives those.
void follow(runtime::Store<api::Cluster>& clusters, WorkloadRegistry& registry);
// Only the Clusters of the shard, and those of others in which Machines or pools are the shard's.
void follow(runtime::Store<api::Cluster>& clusters, const Shard& shard, WorkloadRegistry& registry);

}  // namespace capstan::kubeconfig
