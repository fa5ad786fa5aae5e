#include "controllers/safety/deleted_for.h"

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/safety/fleet_request.h"
#include "controllers/shared/caches.h"
#include "controllers/shared/policies.h"

namespace capstan::controllers::safety {
namespace {

bool goes_with_its_owner(const Caches& caches, const api::Machine& machine) {
  const auto* owner = machine.metadata.controller();
  if (owner == nullptr) return false;
  const kube::ObjectKey named{.namespace_ = machine.metadata.namespace_.str(), .name = owner->name.str()};
  if (owner->kind == api::kind::kMachinePool) {
    const auto pool = caches.machine_pools.get(named);
    return pool && pool->metadata.deleting();
  }
  const auto set = owner->kind == api::kind::kMachineSet ? caches.machine_sets.get(named) : nullptr;
  if (!set) return false;
  const auto deployment = deployment_of(caches, *set);
  return set->metadata.deleting() || (deployment && deployment->metadata.deleting());
}

// Its MachineSet deletes what a health check has handed over, and writes this mark before.
bool is_remediated(const Caches& caches, const api::Machine& machine) {
  const auto said = api::conditions::find(machine.status.conditions, api::condition::kOwnerRemediated);
  return said != nullptr && said->status == api::status::kFalse &&
         said->reason == api::reason::kMachineDeleting && policy_for(caches, machine).policy != nullptr;
}

}  // namespace

bool is_named(const api::Machine& machine) { return machine.metadata.annotations.contains(kDeletedFor); }

bool has_fleet_place(const api::Machine& machine) {
  return has_fleet_grant(machine) && fleet_request_of(machine).has_value();
}

bool is_deleted_by_a_controller(const Caches& caches, const api::Machine& machine) {
  const bool is_granted = machine.metadata.annotations.contains(api::policy::annotation::kReplacementGranted);
  return (is_named(machine) || has_fleet_place(machine) || is_granted || is_remediated(caches, machine)) &&
         !goes_with_its_owner(caches, machine);
}

}  // namespace capstan::controllers::safety
