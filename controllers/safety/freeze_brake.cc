#include "controllers/safety/freeze_brake.h"

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/safety/deleted_for.h"
#include "controllers/safety/lineage.h"
#include "controllers/shared/policies.h"

namespace capstan::controllers::safety {
namespace {

// Since when no controller deletes a Machine of the owner: too many of them hold creations alone.
Time frozen_since(const api::Conditions& conditions) {
  const auto said = api::conditions::find(conditions, api::policy::condition::kFrozen);
  const bool holds = said != nullptr && said->status == api::status::kTrue &&
                     said->reason != api::policy::reason::kOvershooting;
  return holds ? Time(said->last_transition_time) : Time();
}

// One that was granted and not named may have been deleted by either. Before the owner showed that it is
// frozen that was a controller as likely as not, and its drain waits.
bool is_users_deletion(const api::Machine& machine, const api::Conditions& owner_says) {
  if (!machine.metadata.deleting() || is_named(machine) || has_fleet_place(machine)) return false;
  const Time since = frozen_since(owner_says);
  return since.is_set() && Time(machine.metadata.deletion_timestamp) > since;
}

template <typename Owner>
Frozen frozen_with_owner(const Caches& caches, const api::Machine& machine, const Owner& owner) {
  if (is_users_deletion(machine, owner.status.conditions)) return {};
  return frozen_by_a_person(caches, owner);
}

// What neither a MachineSet nor a MachinePool controls is a user's or a control plane's: those decide.
Frozen frozen_machine(const Caches& caches, const kube::ObjectKey& key) {
  const auto machine = caches.machines.get(key);
  const auto* owner = machine ? machine->metadata.controller() : nullptr;
  if (owner == nullptr) return {};
  const kube::ObjectKey named{.namespace_ = key.namespace_, .name = owner->name.str()};
  if (owner->kind == api::kind::kMachineSet) {
    const auto set = caches.machine_sets.get(named);
    return set ? frozen_with_owner(caches, *machine, *set) : Frozen();
  }
  if (owner->kind != api::kind::kMachinePool) return {};
  const auto pool = caches.machine_pools.get(named);
  return pool ? frozen_with_owner(caches, *machine, *pool) : Frozen();
}

Frozen frozen_check(const Caches& caches, const api::MachineHealthCheck& check) {
  const auto cluster = caches.cluster_of(check.metadata.namespace_.view(), check.spec.cluster_name.view());
  return cluster ? frozen_by_a_person(*cluster) : Frozen();
}

Frozen frozen_asker(const Caches& caches, const runtime::Asker& asker) {
  if (asker.kind == api::kind::kMachine) return frozen_machine(caches, asker.key);
  if (asker.kind == api::kind::kMachineSet) {
    const auto set = caches.machine_sets.get(asker.key);
    return set ? frozen_by_a_person(caches, *set) : Frozen();
  }
  if (asker.kind == api::kind::kMachineDeployment) {
    const auto deployment = caches.machine_deployments.get(asker.key);
    return deployment ? frozen_by_a_person(caches, *deployment) : Frozen();
  }
  if (asker.kind == api::kind::kMachinePool) {
    const auto pool = caches.machine_pools.get(asker.key);
    return pool ? frozen_by_a_person(caches, *pool) : Frozen();
  }
  const auto check =
      asker.kind == api::kind::kMachineHealthCheck ? caches.machine_health_checks.get(asker.key) : nullptr;
  return check ? frozen_check(caches, *check) : Frozen();
}

}  // namespace

runtime::Verdict FreezeBrake::ask(runtime::Intent, const runtime::Asker& asker) const {
  Frozen frozen = frozen_asker(caches_, asker);
  return {.open = !frozen.holds(), .why = std::move(frozen.why)};
}

}  // namespace capstan::controllers::safety
