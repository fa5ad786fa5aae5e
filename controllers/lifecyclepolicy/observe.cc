#include "controllers/lifecyclepolicy/observe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <unordered_set>

#include "api/names.h"
#include "api/policy/machine_lifecycle_policy_rules.h"
#include "controllers/lifecyclepolicy/overlap.h"
#include "controllers/safety/frozen_condition.h"
#include "controllers/safety/read_windows.h"
#include "controllers/shared/policies.h"
#include "controllers/shared/policy_members.h"

namespace capstan::controllers::lifecyclepolicy {
namespace {

using Objects = std::span<const api::ObjectMeta* const>;  // the object, and the owner it gets policies from

void see_selected(const Caches& caches, Observation& seen);
void see_frozen(const Caches& caches, Observation& seen);
void see_machines(const Caches& caches, Observation& seen);
std::vector<const api::ObjectMeta*> with_owner(const api::MachineSet& set,
                                               const api::MachineDeployment* deployment);

// Windows have a condition of their own.
std::string problem_beside_windows(const api::MachineLifecyclePolicy& policy) {
  for (const auto& cause : api::validate(policy, nullptr))
    if (!cause.field.starts_with("spec.windows")) return cause.field + ": " + cause.message;
  return {};
}

}  // namespace

std::optional<Observation> observe(const ObserveContext& with, const kube::ObjectKey& key) {
  const Caches& caches = with.deps.caches;
  auto policy = caches.machine_lifecycle_policies.get(key);
  if (!policy || policy->metadata.deleting() || !in_scope(policy->metadata, with.deps.watch_filter))
    return std::nullopt;
  Observation seen{.now = Time::from(with.deps.clock.now()), .policy = std::move(policy)};
  seen.window_problems = safety::problems_of(safety::read_windows(seen.policy->spec.windows, {}));
  seen.selector_problem = problem_beside_windows(*seen.policy);
  if (seen.selector_problem.empty()) {
    see_selected(caches, seen);
    see_frozen(caches, seen);
    if (seen.policy->spec.reports_lifecycle()) see_machines(caches, seen);
  }
  seen.most_preserved = most_preserved_unasked(*seen.policy);
  if (with.context.fresh) seen.members = preservation_members(caches, *seen.policy, with.deps.watch_filter);
  return seen;
}

namespace {

void see_selected(const Caches& caches, Observation& seen) {
  const auto& where = seen.policy->metadata.namespace_;
  const auto policies = caches.policies_in(where);
  const auto look_at = [&](std::string_view kind, Objects objects) {
    const bool selected =
        std::ranges::any_of(objects, [&](const auto* object) { return selects(*seen.policy, *object); });
    if (!selected) return;
    seen.selected.push_back({.kind = kind,
                             .name = objects.front()->name.str(),
                             .rivals = policy_for(objects, policies).conflicting});
  };
  for (const auto& each : caches.machine_deployments_in(where)) {
    const api::ObjectMeta of_template = template_labels(*each);
    const std::array objects = {&each->metadata, &of_template};
    look_at(api::kind::kMachineDeployment, objects);
  }
  for (const auto& each : caches.machine_sets_in(where)) {
    const auto deployment = deployment_of(caches, *each);
    look_at(api::kind::kMachineSet, with_owner(*each, deployment.get()));
  }
  for (const auto& each : caches.machine_pools_in(where)) {
    const std::array objects = {&each->metadata};
    look_at(api::kind::kMachinePool, objects);
  }
}

// Names of one kind that it governs, and not one of several that select them.
std::unordered_set<std::string_view> governed_names(const Observation& seen, std::string_view kind) {
  std::unordered_set<std::string_view> names;
  for (const Selected& each : seen.selected)
    if (each.kind == kind && each.rivals.empty()) names.insert(each.name);
  return names;
}

void see_frozen(const Caches& caches, Observation& seen) {
  const auto& where = seen.policy->metadata.namespace_;
  const auto look_at = [&](std::string_view kind, const auto& objects) {
    const auto governed = governed_names(seen, kind);
    for (const auto& each : objects) {
      if (safety::is_shown_frozen(each->status.conditions) && governed.contains(each->metadata.name.view()))
        seen.frozen.push_back(fmt::format("{} {}", kind, each->metadata.name.view()));
    }
  };
  look_at(api::kind::kMachineDeployment, caches.machine_deployments_in(where));
  look_at(api::kind::kMachineSet, caches.machine_sets_in(where));
  look_at(api::kind::kMachinePool, caches.machine_pools_in(where));
}

void add_machines(const Caches& caches, const api::Uid& owner, Observation& seen) {
  for (auto& machine : caches.machines_owned_by(owner)) seen.machines.push_back(std::move(machine));
}

void see_machines(const Caches& caches, Observation& seen) {
  const auto& where = seen.policy->metadata.namespace_;
  const auto sets = governed_names(seen, api::kind::kMachineSet);
  const auto pools = governed_names(seen, api::kind::kMachinePool);
  for (const auto& set : caches.machine_sets_in(where)) {
    if (!sets.contains(set->metadata.name.view())) continue;
    const auto before = seen.machines.size();
    add_machines(caches, set->metadata.uid, seen);
    const auto there = static_cast<std::int32_t>(seen.machines.size() - before);
    if (!set->metadata.deleting()) seen.missing += std::max(0, set->spec.replicas.value_or(0) - there);
  }
  for (const auto& pool : caches.machine_pools_in(where)) {
    if (pools.contains(pool->metadata.name.view())) add_machines(caches, pool->metadata.uid, seen);
  }
  seen.overlapping_checks = overlapping_checks(caches, *seen.policy, seen.machines);
}

std::vector<const api::ObjectMeta*> with_owner(const api::MachineSet& set,
                                               const api::MachineDeployment* deployment) {
  std::vector<const api::ObjectMeta*> objects = {&set.metadata};
  if (deployment != nullptr) objects.push_back(&deployment->metadata);
  return objects;
}

}  // namespace
}  // namespace capstan::controllers::lifecyclepolicy
