#include "infrastructure/controller/caches.h"

#include <algorithm>

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

// An instance key and a provider ID never look alike, so one index holds both.
runtime::IndexValues vm_of(const api::DriverMachine& machine) {
  runtime::IndexValues values;
  for (const Text& name : {machine.spec.instance_key, machine.spec.provider_id}) {
    if (!name.empty()) values.emplace_back(name);
  }
  return values;
}

runtime::IndexValues vms_of_pool(const api::DriverMachinePool& pool) {
  runtime::IndexValues values;
  for (const Text& id : pool.spec.provider_id_list) values.emplace_back(id);
  return values;
}

// References name an owner by kind and name; the uid shows whether it is the same one still.
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
      by_vm_(driver_machines.add_index(vm_of)),
      pools_by_cluster_(driver_machine_pools.add_index(cluster_of<api::DriverMachinePool>)),
      pools_by_vm_(driver_machine_pools.add_index(vms_of_pool)) {}

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

// The pool that made the DriverMachine lists its VM as well: the two are one claimant.
bool Caches::is_vm_claimed_twice(const api::DriverMachine& object) const {
  const auto is_another_machine = [&](const auto& each) { return each->metadata.uid != object.metadata.uid; };
  const auto is_another_pool = [&](const auto& pool) {
    return !runtime::is_owned_by(object.metadata, pool->metadata.uid);
  };
  for (const Text& name : {object.spec.instance_key, object.spec.provider_id}) {
    if (name.empty()) continue;
    if (std::ranges::any_of(driver_machines.find(by_vm_, name.view()), is_another_machine) ||
        std::ranges::any_of(driver_machine_pools.find(pools_by_vm_, name.view()), is_another_pool))
      return true;
  }
  return false;
}

bool Caches::is_vm_named(std::string_view name) const {
  return !driver_machines.find(by_vm_, name).empty() ||
         !driver_machine_pools.find(pools_by_vm_, name).empty();
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

ObjectKey Caches::cluster_key_of(const api::DriverCluster& object) const {
  const auto cluster = owner_cluster(object.metadata);
  return cluster ? runtime::key_of(*cluster) : cluster_key(object.metadata, object.metadata.name.view());
}

Snapshot<api::DriverCluster> Caches::driver_cluster_of(const api::Cluster& cluster) const {
  const auto key = driver_cluster_key(cluster);
  return key ? driver_clusters.get(*key) : nullptr;
}

std::optional<ObjectKey> driver_cluster_key(const api::Cluster& cluster) {
  const auto& ref = cluster.spec.infrastructure_ref;
  if (!ref || ref->kind != api::driver::kind::kDriverCluster || ref->api_group != api::group::kInfrastructure)
    return std::nullopt;
  return ObjectKey{.namespace_ = cluster.metadata.namespace_.str(), .name = ref->name.str()};
}

ObjectKey cluster_key(const api::ObjectMeta& object, std::string_view otherwise) {
  const auto* label = object.labels.find(api::label::kClusterName);
  return {.namespace_ = object.namespace_.str(),
          .name = label != nullptr ? label->str() : std::string(otherwise)};
}

}  // namespace capstan::infrastructure
