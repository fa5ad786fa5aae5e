#include "controllers/machinedeployment/observe.h"

#include <algorithm>

#include "api/meta/label_selector.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "api/v1beta2/machine_deployment_rules.h"
#include "base/clock.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "controllers/inplace/see_updates.h"
#include "controllers/machinedeployment/machine_wakes.h"
#include "controllers/rollout/rollback.h"
#include "controllers/rollout/set_intent.h"
#include "controllers/safety/see_deletion_rules.h"
#include "controllers/safety/take_census.h"
#include "controllers/shared/belonging.h"
#include "controllers/shared/policies.h"
#include "controllers/shared/reach.h"
#include "controllers/shared/replicas.h"
#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinedeployment {
namespace {

using runtime::is_controlled_by;

constexpr int kNameTries = 20;

TemplateSeen look_at(const api::ContractRef& reference, std::string_view field, std::string_view namespace_,
                     runtime::ExternalRefs& externals) {
  TemplateSeen seen{.field = std::string(field), .kind = reference.kind.str(), .name = reference.name.str()};
  const auto found = externals.get(reference, namespace_);
  if (!found) {
    const bool soon = found.error().retry_after.has_value();
    seen.state = soon ? TemplateSeen::State::Unlisted : TemplateSeen::State::Unknown;
    seen.problem = found.error().message;
    return seen;
  }
  seen.state = found->object ? TemplateSeen::State::Exists : TemplateSeen::State::Missing;
  if (!found->object) return seen;
  seen.resource = found->resource;
  seen.owners = found->object->metadata.owner_references;
  seen.version = found->object->metadata.resource_version;
  return seen;
}

// Into an observation, or into that of a rollback.
template <typename Seen>
void look_at_templates(const api::MachineSpec& spec, std::string_view here, runtime::ExternalRefs& externals,
                       Seen& seen) {
  seen.infrastructure =
      look_at(spec.infrastructure_ref, "spec.template.spec.infrastructureRef", here, externals);
  if (!spec.bootstrap.config_ref) return;
  seen.bootstrap =
      look_at(*spec.bootstrap.config_ref, "spec.template.spec.bootstrap.configRef", here, externals);
}

void look_at_rollback(Observation& seen, runtime::ExternalRefs& externals) {
  const Text* wanted = seen.stored->metadata.annotations.find(api::policy::annotation::kRollbackTo);
  if (wanted == nullptr) return;
  auto& rollback = seen.rollback.emplace(
      RollbackSeen{.wanted = wanted->str(),
                   .target = rollout::set_to_go_back_to(wanted->view(), seen.deployment, seen.sets)});
  if (!rollback.target) return;
  look_at_templates(rollback.target->spec.machine_template.spec, seen.stored->metadata.namespace_, externals,
                    rollback);
}

void find_policy(Observation& seen, const Deps& deps) {
  const PolicyChoice choice = policy_for(deps.caches, *seen.stored);
  seen.governed_by = choice.policy;
  if (choice.policy) seen.rollout = choice.policy->spec.rollout;
  const auto overshoot = overshoot_of(choice);
  seen.has_ceiling = overshoot.has_value();
  seen.census = safety::census_of(deps.caches, *seen.stored, overshoot, seen.now);
  seen.policy = lifecycle_policy(choice);
  seen.deletion_rules = safety::see_deletion_rules(deps.caches, choice);
  if (seen.policy && seen.cluster) seen.contact = contact_of(reach_of(deps.workload_clusters, *seen.cluster));
}

void look_at_updates(Observation& seen, const Deps& deps, Memory& memory) {
  const kube::ObjectKey key = kube::key_of(*seen.stored);
  const bool may_rest = seen.sets.size() == 1 && is_rolled_out(*seen.stored);
  const bool at_rest = may_rest && memory.has_quiet_nodes(key);
  // Before the look: what a Node says meanwhile takes it back.
  if (may_rest && !at_rest) memory.note_quiet_nodes(key);
  seen.updates = inplace::see_updates({.deps = deps,
                                       .node_writes = memory.updates.node_writes(),
                                       .deployment = seen.deployment,
                                       .cluster = seen.cluster.get(),
                                       .rollout = seen.rollout,
                                       .machines = seen.owned,
                                       .has_old_sets = seen.sets.size() > 1,
                                       .at_rest = at_rest});
  if (!may_rest || (!at_rest && !inplace::is_at_rest(seen.updates))) memory.look_at_nodes_again(key);
  seen.updates.window = safety::ask_windows(seen.deletion_rules, safety::Cause::Rollout, seen.now);
}

void ask_brakes(Observation& seen, const Deps& deps) {
  const kube::ObjectKey key = kube::key_of(*seen.stored);
  const runtime::Asker asker{.kind = api::kind::kMachineDeployment, .key = key};
  seen.may_roll = deps.brake.ask(runtime::Intent::RollOut, asker);
  seen.may_remediate = deps.brake.ask(runtime::Intent::Remediate, asker);
}

// What an owner that goes by its name alone would take for its own.
void add_sets_by_name(Observation& seen, const Caches& caches) {
  for (auto& set : caches.machine_sets_in(seen.stored->metadata.namespace_)) {
    const auto* owner = set->metadata.controller();
    const bool namesake = owner != nullptr && owner->kind == api::kind::kMachineDeployment &&
                          owner->name == seen.stored->metadata.name &&
                          owner->uid != seen.stored->metadata.uid;
    if (namesake) seen.sets.push_back(std::move(set));
  }
}

void find_own_sets(Observation& seen, const Caches& caches) {
  const api::Uid& self = seen.stored->metadata.uid;
  for (auto& set : caches.machine_sets_owned_by(self)) {
    if (is_controlled_by(set->metadata, self)) seen.sets.push_back(std::move(set));
  }
  if (is_off(Safeguard::OwnerUid)) add_sets_by_name(seen, caches);
}

// The MachineSet controller takes its finalizer off when the last Machine is gone, and reports no more.
bool has_departed(const api::MachineSet& set, const Caches& caches) {
  return set.metadata.deleting() && !set.metadata.has_finalizer(api::finalizer::kMachineSet) &&
         caches.machines_owned_by(set.metadata.uid).empty();
}

void set_departed_apart(Observation& seen, const Caches& caches) {
  const auto departed =
      std::ranges::stable_partition(seen.sets, [&](const auto& set) { return !has_departed(*set, caches); });
  seen.departed.assign(departed.begin(), departed.end());
  seen.sets.erase(departed.begin(), departed.end());
}

void find_unreadable(Observation& seen, const Caches& caches) {
  if (is_off(Safeguard::UnreadableCounts)) return;
  for (auto& set : caches.machine_sets.unreadable_in(seen.stored->metadata.namespace_)) {
    if (set.may_be_owned_by(seen.stored->metadata.uid)) seen.unreadable.push_back(std::move(set.problem));
  }
  for (auto& machine : caches.machines.unreadable_in(seen.stored->metadata.namespace_)) {
    const auto owns = [&](const auto& set) { return machine.may_be_owned_by(set->metadata.uid); };
    if (std::ranges::any_of(seen.sets, owns)) seen.unreadable_machines.push_back(std::move(machine));
  }
}

std::optional<std::int32_t> replicas_wanted_before(const Observation& seen) {
  if (const auto by_sets = rollout::replicas_wanted_before(seen.sets)) return by_sets;
  if (const auto by_departed = rollout::replicas_wanted_before(seen.departed)) return by_departed;
  return rollout::replicas_noted(seen.stored->metadata.annotations);
}

void apply_defaults(Observation& seen) {
  seen.deployment = *seen.stored;
  if (!seen.deployment.spec.replicas) {
    const auto chosen = replicas_when_left_out(api::kind::kMachineDeployment, seen.stored->metadata,
                                               replicas_wanted_before(seen));
    if (!chosen) seen.no_defaults = chosen.error().message;
    if (chosen) seen.deployment.spec.replicas = *chosen;
  }
  const auto defaulted = api::apply_defaults(seen.deployment, nullptr);
  if (!defaulted) seen.no_defaults = defaulted.error().message;
}

void find_orphans(Observation& seen, const Caches& caches) {
  const auto selector = api::Selector::from(seen.deployment.spec.selector);
  if (!selector || selector->matches_everything()) return;
  const ObjectKey cluster{.namespace_ = seen.stored->metadata.namespace_.str(),
                          .name = seen.stored->spec.cluster_name.str()};
  for (auto& set : caches.machine_sets_of(cluster)) {
    if (set->metadata.controller() != nullptr || !selector->matches(set->metadata.labels)) continue;
    seen.orphans.push_back(std::move(set));
  }
}

void find_machines(Observation& seen, const Caches& caches) {
  for (const auto& set : seen.sets) {
    for (auto& machine : caches.machines_owned_by(set->metadata.uid))
      seen.owned.push_back(std::move(machine));
  }
  std::ranges::sort(seen.owned, {}, [](const auto& machine) { return machine->metadata.name.view(); });
  const auto selector = api::Selector::from(seen.deployment.spec.selector);
  if (!selector) return;
  std::ranges::copy_if(seen.owned, std::back_inserter(seen.machines),
                       [&](const auto& machine) { return selector->matches(machine->metadata.labels); });
}

// A set of its own of that name would be changed, not made.
std::string free_suffix(const Observation& seen, NameGenerator& names) {
  const auto is_taken = [&](const std::string& suffix) {
    const std::string name = rollout::set_name(seen.stored->metadata.name.view(), suffix);
    const auto has_it = [&](const auto& set) { return set->metadata.name == name; };
    return std::ranges::any_of(seen.sets, has_it) || std::ranges::any_of(seen.departed, has_it);
  };
  std::string suffix = names.suffix(kNameSuffixLength);
  for (int tries = 1; tries < kNameTries && is_taken(suffix); ++tries) {
    suffix = names.suffix(kNameSuffixLength);
  }
  return suffix;
}

bool has_strange_managers(const api::MachineSet& set) {
  const auto& managed = set.metadata.managed_fields;
  return managed.empty() || managed.mentions(api::field_manager::kBeforeFirstApply);
}

}  // namespace

Result<std::optional<Observation>> observe(const ObserveContext& with, Memory& memory,
                                           const kube::ObjectKey& key) {
  const Deps& deps = with.deps;
  Observation seen{.now = Time::from(deps.clock.now()), .stored = deps.caches.machine_deployments.get(key)};
  if (!seen.stored || !in_scope(seen.stored->metadata, deps.watch_filter))
    return std::optional<Observation>();
  const Belonging belongs = belonging_of(deps.caches, *seen.stored);
  seen.misnamed = contradiction(belongs, seen.stored->spec.cluster_name);
  seen.cluster = deps.caches.cluster_of(key.namespace_, belongs.cluster);
  if (!seen.cluster) {  // is it gone, or have we only not heard of it yet?
    const ObjectKey cluster{.namespace_ = key.namespace_, .name = belongs.cluster};
    auto live = kube::get<api::Cluster>(deps.client, cluster, with.context.deadline);
    if (!live && live.error().code != Code::NotFound) return fail(live.error());
    if (live) seen.cluster = std::make_shared<const api::Cluster>(std::move(*live));
  }
  find_own_sets(seen, deps.caches);
  set_departed_apart(seen, deps.caches);
  find_unreadable(seen, deps.caches);
  apply_defaults(seen);
  find_orphans(seen, deps.caches);
  find_machines(seen, deps.caches);
  std::ranges::copy_if(seen.sets, std::back_inserter(seen.unmanaged), [](const auto& set) {
    return !set->metadata.deleting() && has_strange_managers(*set);
  });
  if (!seen.stored->metadata.deleting()) {
    look_at_templates(seen.deployment.spec.machine_template.spec, key.namespace_, with.host.externals, seen);
    look_at_rollback(seen, with.host.externals);
  }
  find_policy(seen, deps);
  ask_brakes(seen, deps);
  look_at_updates(seen, deps, memory);
  seen.suffix = free_suffix(seen, deps.names);
  seen.complete = with.context.fresh && deps.caches.clusters.synced() && deps.caches.machine_sets.synced() &&
                  deps.caches.machines.synced();
  memory.set_refused_apart(key, seen);
  memory.note_waiting(key, seen);
  return std::optional(std::move(seen));
}

}  // namespace capstan::controllers::machinedeployment
