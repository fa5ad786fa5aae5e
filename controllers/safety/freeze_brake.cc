#include "controllers/safety/freeze_brake.h"

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/safety/lineage.h"
#include "controllers/shared/policies.h"

namespace capstan::controllers::safety {
namespace {

using runtime::Intent;

Time frozen_since(const api::Conditions& conditions) {
  const auto said = api::conditions::find(conditions, api::policy::condition::kFrozen);
  return said != nullptr && said->status == api::status::kTrue ? Time(said->last_transition_time) : Time();
}

// No controller of ours deletes a Machine once its owner shows that it is frozen. Of one that was deleted
// before that no object says who did it: its drain waits.
bool is_users_deletion(const api::ObjectMeta& machine, const api::ObjectMeta& owner,
                       const api::Conditions& owner_says) {
  if (!machine.deleting()) return false;
  const Time since = frozen_since(owner_says);
  return owner.deleting() || (since.is_set() && Time(machine.deletion_timestamp) > since);
}

template <typename Owner>
Frozen frozen_with_owner(const Caches& caches, const api::Machine& machine, const Owner& owner) {
  if (is_users_deletion(machine.metadata, owner.metadata, owner.status.conditions)) return {};
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
    const auto deployment = set ? deployment_of(caches, *set) : nullptr;
    if (!set || (deployment && deployment->metadata.deleting() && machine->metadata.deleting())) return {};
    return frozen_with_owner(caches, *machine, *set);
  }
  if (owner->kind != api::kind::kMachinePool) return {};
  const auto pool = caches.machine_pools.get(named);
  return pool ? frozen_with_owner(caches, *machine, *pool) : Frozen();
}

Frozen frozen_pool(const Caches& caches, const api::MachinePool& pool, Intent intent) {
  const bool goes_by_user = pool.metadata.deleting() && intent == Intent::Evict;
  return goes_by_user ? Frozen() : frozen_by_a_person(caches, pool);
}

Frozen frozen_check(const Caches& caches, const api::MachineHealthCheck& check) {
  const auto cluster = caches.cluster_of(check.metadata.namespace_.view(), check.spec.cluster_name.view());
  return cluster ? frozen_by_a_person(*cluster) : Frozen();
}

Frozen frozen_asker(const Caches& caches, Intent intent, const runtime::Asker& asker) {
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
    return pool ? frozen_pool(caches, *pool, intent) : Frozen();
  }
  const auto check =
      asker.kind == api::kind::kMachineHealthCheck ? caches.machine_health_checks.get(asker.key) : nullptr;
  return check ? frozen_check(caches, *check) : Frozen();
}

}  // namespace

runtime::Verdict FreezeBrake::ask(Intent intent, const runtime::Asker& asker) const {
  Frozen frozen = frozen_asker(caches_, intent, asker);
  return {.open = !frozen.holds(), .why = std::move(frozen.why)};
}

}  // namespace capstan::controllers::safety
