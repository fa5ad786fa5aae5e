#include "controllers/lifecyclepolicy/observe.h"

#include <algorithm>
#include <array>
#include <span>

#include "api/names.h"
#include "api/policy/machine_lifecycle_policy_rules.h"
#include "controllers/shared/policies.h"

namespace capstan::controllers::lifecyclepolicy {
namespace {

using Objects = std::span<const api::ObjectMeta* const>;  // the object, and the owner it gets policies from

void see_selected(const Caches& caches, Observation& seen);
std::vector<const api::ObjectMeta*> with_owner(const Caches& caches, const api::MachineSet& set,
                                               Snapshot<api::MachineDeployment>& deployment);

}  // namespace

std::optional<Observation> observe(const ObserveContext& with, const kube::ObjectKey& key) {
  const Caches& caches = with.deps.caches;
  auto policy = caches.machine_lifecycle_policies.get(key);
  if (!policy || policy->metadata.deleting() || !in_scope(policy->metadata, with.deps.watch_filter))
    return std::nullopt;
  Observation seen{.now = Time::from(with.deps.clock.now()), .policy = std::move(policy)};
  if (const auto causes = api::validate(*seen.policy, nullptr); !causes.empty()) {
    seen.selector_problem = causes.front().field + ": " + causes.front().message;
  } else {
    see_selected(caches, seen);
  }
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
    const std::array objects = {&each->metadata};
    look_at(api::kind::kMachineDeployment, objects);
  }
  for (const auto& each : caches.machine_sets_in(where)) {
    Snapshot<api::MachineDeployment> deployment;
    look_at(api::kind::kMachineSet, with_owner(caches, *each, deployment));
  }
  for (const auto& each : caches.machine_pools_in(where)) {
    const std::array objects = {&each->metadata};
    look_at(api::kind::kMachinePool, objects);
  }
}

std::vector<const api::ObjectMeta*> with_owner(const Caches& caches, const api::MachineSet& set,
                                               Snapshot<api::MachineDeployment>& deployment) {
  std::vector<const api::ObjectMeta*> objects = {&set.metadata};
  const auto* owner = set.metadata.controller();
  if (owner == nullptr || owner->kind != api::kind::kMachineDeployment) return objects;
  deployment = caches.machine_deployments.get(
      {.namespace_ = set.metadata.namespace_.str(), .name = owner->name.str()});
  if (deployment) objects.push_back(&deployment->metadata);
  return objects;
}

}  // namespace
}  // namespace capstan::controllers::lifecyclepolicy
