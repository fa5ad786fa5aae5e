#include "controllers/shared/policies.h"

#include <algorithm>
#include <array>

#include "api/meta/selects.h"
#include "api/names.h"
#include "controllers/shared/caches.h"

namespace capstan::controllers {

bool selects(const api::MachineLifecyclePolicy& policy, const api::ObjectMeta& object) {
  return policy.metadata.namespace_ == object.namespace_ && api::selects(policy.spec.selector, object.labels);
}

api::ObjectMeta template_labels(const api::MachineDeployment& deployment) {
  return {.namespace_ = deployment.metadata.namespace_,
          .labels = deployment.spec.machine_template.metadata.labels};
}

PolicyChoice policy_for(const api::ObjectMeta& object, std::span<const PolicySnapshot> policies) {
  const std::array objects = {&object};
  return policy_for(objects, policies);
}

PolicyChoice policy_for(std::span<const api::ObjectMeta* const> object_and_owners,
                        std::span<const PolicySnapshot> policies) {
  PolicyChoice choice;
  for (const PolicySnapshot& policy : policies) {
    const bool selected =
        std::ranges::any_of(object_and_owners, [&](const auto* object) { return selects(*policy, *object); });
    if (!selected) continue;
    choice.rivals.push_back(policy);
  }
  if (choice.rivals.size() == 1) choice.policy = std::move(choice.rivals.front());
  if (choice.rivals.size() <= 1) choice.rivals.clear();
  for (const auto& rival : choice.rivals) choice.conflicting.push_back(rival->metadata.name.str());
  std::ranges::sort(choice.conflicting);
  return choice;
}

std::optional<api::PolicyOvershoot> overshoot_of(const PolicyChoice& choice) {
  if (choice.policy) return choice.policy->spec.overshoot;
  std::optional<api::PolicyOvershoot> least;
  const auto up = [](const api::PolicyOvershoot& one) { return one.up.value_or(api::PolicyOvershoot::kUp); };
  for (const auto& rival : choice.rivals) {
    const auto& one = rival->spec.overshoot;
    if (one && (!least || up(*one) < up(*least))) least = one;
  }
  return least;
}

namespace {

kube::ObjectKey beside(const api::ObjectMeta& object, const api::OwnerReference& owner) {
  return {.namespace_ = object.namespace_.str(), .name = owner.name.str()};
}

}  // namespace

Snapshot<api::MachineDeployment> deployment_of(const Caches& caches, const api::MachineSet& set) {
  const auto* owner = set.metadata.controller();
  if (owner == nullptr || owner->kind != api::kind::kMachineDeployment) return nullptr;
  return caches.machine_deployments.get(beside(set.metadata, *owner));
}

PolicyChoice policy_for(const Caches& caches, const api::MachineSet& set) {
  const auto policies = caches.policies_in(set.metadata.namespace_.view());
  if (policies.empty()) return {};
  const auto deployment = deployment_of(caches, set);
  if (!deployment) return policy_for(set.metadata, policies);
  const std::array both = {&set.metadata, &deployment->metadata};
  return policy_for(both, policies);
}

PolicyChoice policy_for(const Caches& caches, const api::MachineDeployment& deployment) {
  const auto policies = caches.policies_in(deployment.metadata.namespace_.view());
  if (policies.empty()) return {};
  const api::ObjectMeta of_template = template_labels(deployment);
  const std::array both = {&deployment.metadata, &of_template};
  return policy_for(both, policies);
}

PolicyChoice policy_for(const Caches& caches, const api::Machine& machine) {
  const auto policies = caches.policies_in(machine.metadata.namespace_.view());
  const auto* owner = machine.metadata.controller();
  if (policies.empty() || owner == nullptr) return {};
  if (owner->kind == api::kind::kMachineSet) {
    const auto set = caches.machine_sets.get(beside(machine.metadata, *owner));
    return set && set->metadata.uid == owner->uid ? policy_for(caches, *set) : PolicyChoice();
  }
  if (owner->kind != api::kind::kMachinePool) return {};
  const auto pool = caches.machine_pools.get(beside(machine.metadata, *owner));
  return pool && pool->metadata.uid == owner->uid ? policy_for(pool->metadata, policies) : PolicyChoice();
}

PolicySnapshot lifecycle_policy(const PolicyChoice& choice) {
  return choice.policy && choice.policy->spec.reports_lifecycle() ? choice.policy : nullptr;
}

}  // namespace capstan::controllers
