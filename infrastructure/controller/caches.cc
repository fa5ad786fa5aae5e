#include "infrastructure/controller/caches.h"

#include "api/names.h"

namespace capstan::infrastructure {
namespace {

runtime::IndexValues cluster_of(const api::DriverMachine& machine) {
  const ObjectKey key = cluster_key(machine.metadata);
  if (key.name.empty()) return {};
  return {Text(key.describe())};
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

Caches::Caches() : by_cluster_(driver_machines.add_index(cluster_of)) {}

std::vector<Snapshot<api::DriverMachine>> Caches::driver_machines_of(const ObjectKey& cluster) const {
  return driver_machines.find(by_cluster_, cluster.describe());
}

std::size_t Caches::count_driver_machines_of(const ObjectKey& cluster) const {
  return driver_machines.count(by_cluster_, cluster.describe());
}

Snapshot<api::Machine> Caches::owner_machine(const api::ObjectMeta& object) const {
  return owner(machines, object, api::kind::kMachine);
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
