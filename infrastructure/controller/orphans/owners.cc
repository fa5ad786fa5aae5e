#include "infrastructure/controller/orphans/owners.h"

namespace capstan::infrastructure {
namespace {

template <typename T>
void add_names(const runtime::Store<T>& objects, Owners& owners) {
  for (const auto& object : objects.all()) owners.names.insert(runtime::key_of(*object));
}

// A copy of a DriverCluster brings the key of the original: then no VM is surely one's or the other's.
void add_clusters(const Caches& caches, Owners& owners) {
  std::set<std::string> shared;
  for (const auto& cluster : caches.driver_clusters.all()) {
    const std::string key = cluster->spec.cluster_key.str();
    if (!key.empty() && !owners.clusters.emplace(key, runtime::key_of(*cluster)).second) shared.insert(key);
  }
  for (const std::string& key : shared) owners.clusters.erase(key);
}

void add_machines(const Caches& caches, Owners& owners) {
  for (const auto& machine : caches.driver_machines.all()) {
    const auto& spec = machine->spec;
    if (!spec.provider_id.empty()) owners.vms.insert(spec.provider_id.str());
    if (!spec.instance_key.empty()) owners.by_key[spec.instance_key.str()] = spec.provider_id.str();
  }
}

void add_pools(const Caches& caches, Owners& owners) {
  for (const auto& pool : caches.driver_machine_pools.all()) {
    if (!pool->spec.group_key.empty()) owners.groups.insert(pool->spec.group_key.str());
    for (const Text& id : pool->spec.provider_id_list) owners.vms.insert(id.str());
  }
}

}  // namespace

Owners owners_in(const Caches& caches) {
  Owners owners;
  add_clusters(caches, owners);
  add_machines(caches, owners);
  add_pools(caches, owners);
  add_names(caches.driver_machines, owners);
  add_names(caches.driver_machine_pools, owners);
  add_names(caches.machines, owners);
  add_names(caches.machine_pools, owners);
  return owners;
}

}  // namespace capstan::infrastructure
