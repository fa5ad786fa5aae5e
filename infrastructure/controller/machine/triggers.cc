// What wakes a DriverMachine: its own changes, its Machine, its Cluster, bootstrap data of its pool, the end
// of what held the making of its VM, and doubt that the cloud's list raised.
#include "infrastructure/controller/triggers.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "infrastructure/controller/brakes.h"
#include "infrastructure/controller/machine/reconciler.h"
#include "runtime/triggers.h"

namespace capstan::infrastructure::machine {
namespace {

using runtime::Change;
using Keys = std::vector<ObjectKey>;

// Its spec, and that it is being deleted.
bool concerns_its_vm(const Change<api::Machine>& change) {
  if (!change.before || !change.after) return true;
  return !(change.before->spec == change.after->spec) ||
         change.before->metadata.deleting() != change.after->metadata.deleting();
}

// That there is bootstrap data now.
bool concerns_its_vms(const Change<api::MachinePool>& change) {
  if (!change.before || !change.after) return true;
  return !(change.before->spec.machine_template.spec.bootstrap ==
           change.after->spec.machine_template.spec.bootstrap);
}

Keys object_of(const Change<api::Machine>& change) {
  const auto& ref = change.object().spec.infrastructure_ref;
  const bool ours =
      ref.kind == api::driver::kind::kDriverMachine && ref.api_group == api::group::kInfrastructure;
  if (!ours || !concerns_its_vm(change)) return {};
  return {{.namespace_ = change.object().metadata.namespace_.str(), .name = ref.name.str()}};
}

Keys keys_without_vm(const std::vector<runtime::Snapshot<api::DriverMachine>>& machines) {
  Keys keys;
  for (const auto& machine : machines) {
    if (!machine->status.initialization.provisioned.value_or(false))
      keys.push_back(runtime::key_of(*machine));
  }
  return keys;
}

Keys keys_of(const std::vector<runtime::Snapshot<api::DriverMachine>>& machines) {
  Keys keys;
  for (const auto& machine : machines) keys.push_back(runtime::key_of(*machine));
  return keys;
}

Keys self_of(const Change<api::DriverMachine>& change) {
  return concerns_itself(change) ? Keys{runtime::key_of(change.object())} : Keys();
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger<api::DriverMachine>(caches.driver_machines, queue, self_of);
  runtime::trigger<api::Machine>(caches.machines, queue, object_of);
  runtime::trigger<api::MachinePool>(
      caches.machine_pools, queue, [&caches](const Change<api::MachinePool>& change) {
        if (concerns_its_vms(change)) return keys_of(caches.members_of(change.object()));
        return changes_brakes(change) ? keys_without_vm(caches.members_of(change.object())) : Keys();
      });
  runtime::trigger<api::Cluster>(caches.clusters, queue, [&caches](const Change<api::Cluster>& change) {
    if (!concerns_vms(change) && !changes_brakes(change)) return Keys();
    const auto machines = caches.driver_machines_of(runtime::key_of(change.object()));
    return concerns_vms(change) ? keys_of(machines) : keys_without_vm(machines);
  });
  runtime::trigger<api::DriverCluster>(
      caches.driver_clusters, queue, [&caches](const Change<api::DriverCluster>& change) {
        return gets_its_key(change)
                   ? keys_of(caches.driver_machines_of(caches.cluster_key_of(change.object())))
                   : Keys();
      });
  deps_.inventory.on_doubt([&queue](const ObjectKey& key) { queue.add(key); });
}

}  // namespace capstan::infrastructure::machine
