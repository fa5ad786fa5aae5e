// The caches the controllers of the infrastructure provider read. Provider makes one and feeds it by
// informers; its controllers read. Safe from any thread.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "api/driver/driver_machine_pool.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine_pool.h"
#include "runtime/store.h"

namespace capstan::infrastructure {

using kube::ObjectKey;
using runtime::Snapshot;

class Caches {
 public:
  Caches();
  Caches(const Caches&) = delete;
  Caches& operator=(const Caches&) = delete;

  runtime::Store<api::Cluster> clusters{"Cluster"};
  runtime::Store<api::Machine> machines{"Machine"};
  runtime::Store<api::DriverCluster> driver_clusters{"DriverCluster"};
  runtime::Store<api::DriverMachine> driver_machines{"DriverMachine"};
  runtime::Store<api::DriverMachineTemplate> driver_machine_templates{"DriverMachineTemplate"};
  runtime::Store<api::MachinePool> machine_pools{"MachinePool"};
  runtime::Store<api::DriverMachinePool> driver_machine_pools{"DriverMachinePool"};

  // By the label that says which cluster they belong to.
  std::vector<Snapshot<api::DriverMachine>> driver_machines_of(const ObjectKey& cluster) const;
  std::size_t count_driver_machines_of(const ObjectKey& cluster) const;
  std::vector<Snapshot<api::DriverMachinePool>> driver_machine_pools_of(const ObjectKey& cluster) const;
  // Those that the pool made, by owner and uid.
  std::vector<Snapshot<api::DriverMachine>> members_of(const api::DriverMachinePool& pool) const;
  // By the label that says which MachinePool they belong to.
  std::vector<Snapshot<api::DriverMachine>> members_of(const api::MachinePool& pool) const;

  // Whether another DriverMachine or DriverMachinePool names the same VM, by instance key or provider ID.
  bool is_vm_claimed_twice(const api::DriverMachine& object) const;

  // Whether any of them names that VM, by instance key or provider ID.
  bool is_vm_named(std::string_view name) const;

  // The owner of that kind, if the cache has it and its uid is the one the reference means.
  Snapshot<api::Machine> owner_machine(const api::ObjectMeta& object) const;
  Snapshot<api::MachinePool> owner_machine_pool(const api::ObjectMeta& object) const;
  Snapshot<api::Cluster> owner_cluster(const api::ObjectMeta& object) const;
  // By its owner, or else by its label or its own name.
  ObjectKey cluster_key_of(const api::DriverCluster& object) const;
  // What the Cluster names as its infrastructure; null when that is of another kind.
  Snapshot<api::DriverCluster> driver_cluster_of(const api::Cluster& cluster) const;

 private:
  runtime::IndexId<api::DriverMachine> by_cluster_;
  runtime::IndexId<api::DriverMachine> by_driver_pool_;
  runtime::IndexId<api::DriverMachine> by_pool_label_;
  runtime::IndexId<api::DriverMachine> by_vm_;
  runtime::IndexId<api::DriverMachinePool> pools_by_cluster_;
  runtime::IndexId<api::DriverMachinePool> pools_by_vm_;
};

// The DriverCluster that the Cluster names as its infrastructure; nothing when that is of another kind.
std::optional<ObjectKey> driver_cluster_key(const api::Cluster& cluster);
// The Cluster an object belongs to: by its label, before it has one by `otherwise`.
ObjectKey cluster_key(const api::ObjectMeta& object, std::string_view otherwise = {});

}  // namespace capstan::infrastructure
