#include "controllers/lifecyclepolicy/reconciler.h"

#include <algorithm>
#include <array>

#include "api/names.h"
#include "api/policy/machine_lifecycle_policy_rules.h"
#include "controllers/shared/policies.h"
#include "kube/typed.h"
#include "runtime/triggers.h"

namespace capstan::controllers::lifecyclepolicy {
namespace {

using runtime::Change;

// Of a fleet that is being made.
constexpr auto kGathered = std::chrono::seconds(1);

void wake_namespace(const Caches& caches, std::string_view where, runtime::Queue& queue) {
  for (const auto& policy : caches.policies_in(where)) queue.add_after(runtime::key_of(*policy), kGathered);
}

template <typename T>
void wake_on_labels(Caches& caches, runtime::Store<T>& store, runtime::Queue& queue) {
  store.subscribe([&caches, &queue](const Change<T>& change) {
    if (change.initial) return;
    const bool relabelled =
        !change.before || !change.after || change.before->metadata.labels != change.after->metadata.labels ||
        change.before->metadata.owner_references != change.after->metadata.owner_references;
    if (relabelled) wake_namespace(caches, change.object().metadata.namespace_, queue);
  });
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

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger_self(caches.machine_lifecycle_policies, queue);
  caches.machine_lifecycle_policies.subscribe(
      [&caches, &queue](const Change<api::MachineLifecyclePolicy>& change) {
        if (change.before && change.after && change.before->spec == change.after->spec) return;
        wake_namespace(caches, change.object().metadata.namespace_, queue);
      });
  wake_on_labels(caches, caches.machine_deployments, queue);
  wake_on_labels(caches, caches.machine_sets, queue);
  wake_on_labels(caches, caches.machine_pools, queue);
}

Result<runtime::Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  auto policy = deps_.caches.machine_lifecycle_policies.get(key);
  if (!policy || policy->metadata.deleting() || !in_scope(policy->metadata, deps_.watch_filter))
    return runtime::Outcome::done();
  const Observation seen = observe(std::move(policy));
  // Nobody else writes that status: a conflict means that the cache is behind, and is tried again.
  const auto patched = kube::patch_status(deps_.client, *seen.policy, report(seen), context.deadline);
  if (!patched && patched.error().code != Code::NotFound) return fail(patched.error());
  if (patched && *patched)
    host_->consistency.wrote(key, deps_.caches.machine_lifecycle_policies,
                             (*patched)->metadata.resource_version);
  return runtime::Outcome::done();
}

Observation Reconciler::observe(Snapshot<api::MachineLifecyclePolicy> policy) const {
  Observation seen{.now = Time::from(deps_.clock.now()), .policy = std::move(policy)};
  const auto& where = seen.policy->metadata.namespace_;
  if (const auto causes = api::validate(*seen.policy, nullptr); !causes.empty()) {
    seen.selector_problem = causes.front().field + ": " + causes.front().message;
    return seen;
  }
  const auto policies = deps_.caches.policies_in(where);
  const auto look_at = [&](std::string_view kind, std::span<const api::ObjectMeta* const> objects) {
    const bool mine =
        std::ranges::any_of(objects, [&](const auto* object) { return selects(*seen.policy, *object); });
    if (!mine) return;
    seen.selected.push_back({.kind = kind,
                             .name = objects.front()->name.str(),
                             .rivals = policy_for(objects, policies).conflicting});
  };
  for (const auto& each : deps_.caches.machine_deployments_in(where)) {
    const std::array objects = {&each->metadata};
    look_at(api::kind::kMachineDeployment, objects);
  }
  for (const auto& each : deps_.caches.machine_sets_in(where)) {
    Snapshot<api::MachineDeployment> deployment;
    look_at(api::kind::kMachineSet, with_owner(deps_.caches, *each, deployment));
  }
  for (const auto& each : deps_.caches.machine_pools_in(where)) {
    const std::array objects = {&each->metadata};
    look_at(api::kind::kMachinePool, objects);
  }
  return seen;
}

}  // namespace capstan::controllers::lifecyclepolicy
