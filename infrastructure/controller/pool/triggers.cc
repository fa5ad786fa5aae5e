// What wakes a DriverMachinePool: its own changes, its MachinePool, its Cluster, and its instances with their
// Machines.
#include <tuple>

#include "api/driver/names.h"
#include "api/names.h"
#include "infrastructure/controller/brakes.h"
#include "infrastructure/controller/pool/observation.h"
#include "infrastructure/controller/pool/reconciler.h"
#include "infrastructure/controller/triggers.h"
#include "runtime/triggers.h"

namespace capstan::infrastructure::pool {
namespace {

using runtime::Change;
using Keys = std::vector<ObjectKey>;

// What of a MachinePool concerns its instances.
bool concerns_instances(const Change<api::MachinePool>& change) {
  if (!change.before || !change.after) return true;
  const auto& [before, after, initial] = change;
  return before->spec.replicas != after->spec.replicas ||
         before->metadata.annotations != after->metadata.annotations ||
         !(before->spec.machine_template.spec.bootstrap == after->spec.machine_template.spec.bootstrap) ||
         before->metadata.deleting() != after->metadata.deleting() || changes_brakes(change);
}

bool concerns_its_pool(const Change<api::DriverMachine>& change) {
  if (!change.before || !change.after) return true;
  const auto& [before, after, initial] = change;
  return before->spec.provider_id != after->spec.provider_id ||
         before->metadata.deleting() != after->metadata.deleting() ||
         before->metadata.owner_references != after->metadata.owner_references ||
         !(before->status.initialization == after->status.initialization) ||
         before->status.conditions != after->status.conditions;
}

// A Machine that begins to leave makes room for another; one that is handed over goes, and one that has
// joined lets the next go; one that is well again loses its mark.
bool concerns_its_pool(const Change<api::Machine>& change) {
  if (!change.before || !change.after) return false;
  const auto facts = [](const api::Machine& machine) {
    return std::tuple(machine.metadata.deleting(), is_handed_over(machine), is_well_again(machine),
                      machine.status.node_ref.has_value());
  };
  return facts(*change.before) != facts(*change.after);
}

Keys object_of(const Change<api::MachinePool>& change) {
  const auto& ref = change.object().spec.machine_template.spec.infrastructure_ref;
  const bool ours =
      ref.kind == api::driver::kind::kDriverMachinePool && ref.api_group == api::group::kInfrastructure;
  if (!ours || !concerns_instances(change)) return {};
  return {{.namespace_ = change.object().metadata.namespace_.str(), .name = ref.name.str()}};
}

Keys pool_of(const Change<api::DriverMachine>& change) {
  return runtime::owners_of_kind(change, api::group::kInfrastructure, api::driver::kind::kDriverMachinePool);
}

Keys pool_of(const Caches& caches, const Change<api::Machine>& change) {
  if (!concerns_its_pool(change)) return {};
  const api::Machine& machine = *change.after;
  const auto object = caches.driver_machines.get(
      {.namespace_ = machine.metadata.namespace_.str(), .name = machine.spec.infrastructure_ref.name.str()});
  return object ? pool_of({.before = nullptr, .after = object}) : Keys();
}

Keys pools_of(const Caches& caches, const ObjectKey& cluster) {
  Keys keys;
  for (const auto& pool : caches.driver_machine_pools_of(cluster)) keys.push_back(runtime::key_of(*pool));
  return keys;
}

Keys self_of(const Change<api::DriverMachinePool>& change) {
  return concerns_itself(change) ? Keys{runtime::key_of(change.object())} : Keys();
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger<api::DriverMachinePool>(caches.driver_machine_pools, queue, self_of);
  runtime::trigger<api::MachinePool>(caches.machine_pools, queue, object_of);
  runtime::trigger<api::Cluster>(caches.clusters, queue, [&caches](const Change<api::Cluster>& change) {
    return concerns_vms(change) || changes_brakes(change) ? pools_of(caches, runtime::key_of(change.object()))
                                                          : Keys();
  });
  runtime::trigger<api::DriverCluster>(
      caches.driver_clusters, queue, [&caches](const Change<api::DriverCluster>& change) {
        return gets_its_key(change) ? pools_of(caches, caches.cluster_key_of(change.object())) : Keys();
      });
  runtime::trigger<api::DriverMachine>(caches.driver_machines, queue,
                                       [](const Change<api::DriverMachine>& change) {
                                         return concerns_its_pool(change) ? pool_of(change) : Keys();
                                       });
  runtime::trigger<api::Machine>(caches.machines, queue, [&caches](const Change<api::Machine>& change) {
    return pool_of(caches, change);
  });
}

}  // namespace capstan::infrastructure::pool
