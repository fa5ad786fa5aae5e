#include "infrastructure/controller/caches.h"

#include "api/driver/names.h"
#include "api/names.h"
#include "api/v1beta2/syntax.h"
#include "runtime/ownership.h"

namespace capstan::infrastructure {
namespace {

template <typename T>
runtime::IndexValues cluster_of(const T& object) {
  const ObjectKey key = cluster_key(object.metadata);
  if (key.name.empty()) return {};
  return {Text(key.describe())};
}

runtime::IndexValues driver_pool_of(const api::DriverMachine& machine) {
  for (const auto& reference : *machine.metadata.owner_references) {
    if (reference.kind == api::driver::kind::kDriverMachinePool &&
        reference.group() == api::group::kInfrastructure)
      return {Text(ObjectKey{machine.metadata.namespace_.str(), reference.name.str()}.describe())};
  }
  return {};
}

runtime::IndexValues pool_label_of(const api::DriverMachine& machine) {
  const auto* label = machine.metadata.labels.find(api::label::kPoolName);
  if (label == nullptr) return {};
  return {Text(ObjectKey{machine.metadata.namespace_.str(), label->str()}.describe())};
}

// References name an owner by kind and name; the uid tells whether it is the same one still.
template <typename T>
Snapshot<T> owner(const runtime::Store<T>& store, const api::ObjectMeta& object, std::string_view kind) {
  for (const auto& reference : *object.owner_references) {
    if (reference.kind != kind || reference.group() != api::group::kCluster) continue;
    auto found = store.get({.namespace_ = object.namespace_.str(), .name = reference.name.str()});
    if (found && found->metadata.uid == reference.uid) return found;
  }
  return nullptr;
}

}  // namespace

Caches::Caches()
    : by_cluster_(driver_machines.add_index(cluster_of<api::DriverMachine>)),
      by_driver_pool_(driver_machines.add_index(driver_pool_of)),
      by_pool_label_(driver_machines.add_index(pool_label_of)),
      pools_by_cluster_(driver_machine_pools.add_index(cluster_of<api::DriverMachinePool>)) {}

std::vector<Snapshot<api::DriverMachine>> Caches::driver_machines_of(const ObjectKey& cluster) const {
  return driver_machines.find(by_cluster_, cluster.describe());
}

std::size_t Caches::count_driver_machines_of(const ObjectKey& cluster) const {
  return driver_machines.count(by_cluster_, cluster.describe());
}

std::vector<Snapshot<api::DriverMachinePool>> Caches::driver_machine_pools_of(
    const ObjectKey& cluster) const {
  return driver_machine_pools.find(pools_by_cluster_, cluster.describe());
}

std::vector<Snapshot<api::DriverMachine>> Caches::members_of(const api::DriverMachinePool& pool) const {
  auto members = driver_machines.find(by_driver_pool_, runtime::key_of(pool).describe());
  std::erase_if(members,
                [&](const auto& each) { return !runtime::is_owned_by(each->metadata, pool.metadata.uid); });
  return members;
}

std::vector<Snapshot<api::DriverMachine>> Caches::members_of(const api::MachinePool& pool) const {
  const ObjectKey label{pool.metadata.namespace_.str(), api::label_value(pool.metadata.name)};
  return driver_machines.find(by_pool_label_, label.describe());
}

Snapshot<api::Machine> Caches::owner_machine(const api::ObjectMeta& object) const {
  return owner(machines, object, api::kind::kMachine);
}

Snapshot<api::MachinePool> Caches::owner_machine_pool(const api::ObjectMeta& object) const {
  return owner(machine_pools, object, api::kind::kMachinePool);
}

Snapshot<api::Cluster> Caches::owner_cluster(const api::ObjectMeta& object) const {
  return owner(clusters, object, api::kind::kCluster);
}

ObjectKey cluster_key(const api::ObjectMeta& object, std::string_view otherwise) {
  const auto* label = object.labels.find(api::label::kClusterName);
  return {.namespace_ = object.namespace_.str(),
          .name = label != nullptr ? label->str() : std::string(otherwise)};
}

}  // namespace capstan::infrastructure
