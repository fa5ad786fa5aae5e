#include "controllers/safety/take_census.h"

#include <algorithm>

#include "api/names.h"
#include "api/v1beta2/machine_deployment_rules.h"
#include "controllers/rollout/limits.h"
#include "controllers/rollout/set_intent.h"
#include "controllers/safety/lineage.h"
#include "controllers/shared/policies.h"
#include "runtime/ownership.h"

namespace capstan::controllers::safety {
namespace {

using Sets = std::vector<Snapshot<api::MachineSet>>;

ObjectKey key_beside(const api::ObjectMeta& object, std::string_view name) {
  return {.namespace_ = object.namespace_.str(), .name = std::string(name)};
}

Count machines_owned(const Caches& caches, const api::MachineSet& set) {
  return static_cast<Count>(caches.count_machines_owned_by(set.metadata.uid));
}

Sets sets_of(const Caches& caches, const api::MachineDeployment& deployment) {
  Sets sets = caches.machine_sets_owned_by(deployment.metadata.uid);
  std::erase_if(sets, [&](const auto& set) {
    return !runtime::is_controlled_by(set->metadata, deployment.metadata.uid);
  });
  return sets;
}

// With the defaults, whether or not a webhook has filled them in.
Wanted wanted_by(const api::MachineDeployment& stored, const Sets& sets) {
  api::MachineDeployment deployment = stored;
  if (!deployment.spec.replicas) deployment.spec.replicas = rollout::replicas_wanted_before(sets).value_or(1);
  // What can't be understood allows no surge: its own turn says what is wrong.
  const bool defaulted = api::apply_defaults(deployment, nullptr).has_value();
  const auto limits = rollout::limits_of(deployment);
  return {.replicas = *deployment.spec.replicas, .surge = defaulted && limits ? limits->surge : 0};
}

// One that it is to make is as good as there.
Count machines_due(const Caches& caches, const api::MachineSet& set) {
  const Count owned = machines_owned(caches, set);
  return set.metadata.deleting() ? owned : std::max<Count>(owned, set.spec.replicas.value_or(0));
}

// What was released and nothing has taken over; null otherwise.
template <typename T>
Snapshot<T> still_released(const runtime::Store<T>& store, const ObjectKey& key) {
  auto found = store.get(key);
  return found && found->metadata.controller() == nullptr ? found : nullptr;
}

Released machines_still_released(const Caches& caches, const api::MachineSet& set) {
  Released released = released_by(set.metadata);
  std::erase_if(released.names, [&](const std::string& name) {
    return !still_released(caches.machines, key_beside(set.metadata, name));
  });
  return released;
}

Released sets_still_lost(const Caches& caches, const api::MachineDeployment& deployment) {
  Released lost = released_by(deployment.metadata);
  std::erase_if(lost.names, [&](const std::string& name) {
    const auto set = still_released(caches.machine_sets, key_beside(deployment.metadata, name));
    return !set || machines_owned(caches, *set) == 0;
  });
  return lost;
}

void add_released(const Caches& caches, const api::MachineSet& set, const Released& released,
                  Ceiling& ceiling) {
  ceiling.released += std::ssize(released.names);
  if (!ceiling.blame.empty() || released.names.empty()) return;
  const auto first = caches.machines.get(key_beside(set.metadata, released.names.front()));
  if (first) ceiling.blame = mismatch(set.spec.selector, first->metadata.labels);
}

void add_lost(const Caches& caches, const api::MachineDeployment& deployment, Ceiling& ceiling) {
  for (const std::string& name : sets_still_lost(caches, deployment).names) {
    const auto set = caches.machine_sets.get(key_beside(deployment.metadata, name));
    if (!set) continue;
    ceiling.released += machines_owned(caches, *set);
    if (ceiling.blame.empty()) ceiling.blame = mismatch(deployment.spec.selector, set->metadata.labels);
  }
}

void add_siblings(const Caches& caches, const api::MachineSet& self, const Sets& sets, Ceiling& ceiling) {
  for (const auto& set : sets) {
    if (set->metadata.uid == self.metadata.uid) continue;
    ceiling.owned += machines_due(caches, *set);
    add_released(caches, *set, machines_still_released(caches, *set), ceiling);
  }
}

Count machines_in(const Caches& caches, const Sets& sets) {
  Count there = 0;
  for (const auto& set : sets) there += machines_owned(caches, *set);
  return there;
}

// Of the set itself and of its MachineDeployment, the later one.
Time last_thaw(const api::MachineSet& set, const api::MachineDeployment* deployment, Time now) {
  const Time own = thawed_at(set.metadata, now);
  return deployment == nullptr ? own : std::max(own, thawed_at(deployment->metadata, now));
}

bool was_set_frozen(const api::MachineSet& set, const api::MachineDeployment* deployment, Time thawed) {
  if (was_frozen_by_number(set.status.conditions, thawed)) return true;
  return deployment != nullptr && was_frozen_by_number(deployment->status.conditions, thawed);
}

// By its Machines, or where its provider has none by its instances.
Count instances_of(const Caches& caches, const api::MachinePool& pool) {
  return std::max<Count>(std::ssize(caches.machines_owned_by(pool.metadata.uid)),
                         std::ssize(pool.spec.provider_id_list));
}

// Else the number that is wanted follows the number that is there.
bool is_sized_here(const api::MachinePool& pool) {
  return pool.spec.replicas && !pool.metadata.annotations.contains(api::annotation::kReplicasManagedBy);
}

}  // namespace

SetCensus census_of(const Caches& caches, const api::MachineSet& set, const Overshoot& overshoot, Time now) {
  SetCensus census{.frozen = frozen_by_a_person(caches, set),
                   .released = machines_still_released(caches, set)};
  if (!overshoot) return census;
  const auto deployment = deployment_of(caches, set);
  const Sets sets = deployment ? sets_of(caches, *deployment) : Sets();
  const Count replicas = set.spec.replicas.value_or(0);
  const Count owned = machines_owned(caches, set);
  const Wanted wanted = deployment ? wanted_by(*deployment, sets) : Wanted{.replicas = replicas};
  census.ceiling = {.is_on = true, .most = wanted.most() + margin_above(*overshoot), .owned = owned};
  add_released(caches, set, census.released, census.ceiling);
  add_siblings(caches, set, sets, census.ceiling);
  if (deployment) add_lost(caches, *deployment, census.ceiling);
  if (census.frozen.holds()) return census;
  const Time thawed = last_thaw(set, deployment.get(), now);
  census.frozen = frozen_by_number(*overshoot, {.now = now,
                                                .thawed = thawed,
                                                .there = deployment ? machines_in(caches, sets) : owned,
                                                .wanted = deployment ? wanted : wanted_by_lone_set(replicas),
                                                .was_frozen = was_set_frozen(set, deployment.get(), thawed)});
  return census;
}

DeploymentCensus census_of(const Caches& caches, const api::MachineDeployment& deployment,
                           const Overshoot& overshoot, Time now) {
  DeploymentCensus census{.frozen = frozen_by_a_person(caches, deployment),
                          .lost = sets_still_lost(caches, deployment)};
  if (!overshoot || census.frozen.holds()) return census;
  const Sets sets = sets_of(caches, deployment);
  const Time thawed = thawed_at(deployment.metadata, now);
  census.frozen = frozen_by_number(
      *overshoot, {.now = now,
                   .thawed = thawed,
                   .there = machines_in(caches, sets),
                   .wanted = wanted_by(deployment, sets),
                   .was_frozen = was_frozen_by_number(deployment.status.conditions, thawed)});
  return census;
}

Frozen freeze_of(const Caches& caches, const api::MachinePool& pool, const Overshoot& overshoot, Time now) {
  Frozen frozen = frozen_by_a_person(caches, pool);
  if (frozen.holds() || !overshoot || !is_sized_here(pool)) return frozen;
  const Time thawed = thawed_at(pool.metadata, now);
  return frozen_by_number(*overshoot, {.now = now,
                                       .thawed = thawed,
                                       .there = instances_of(caches, pool),
                                       .wanted = {.replicas = *pool.spec.replicas},
                                       .was_frozen = was_frozen_by_number(pool.status.conditions, thawed)});
}

}  // namespace capstan::controllers::safety
