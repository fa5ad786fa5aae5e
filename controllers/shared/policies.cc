#include "controllers/shared/policies.h"

#include <algorithm>
#include <array>

namespace capstan::controllers {

bool selects(const api::MachineLifecyclePolicy& policy, const api::ObjectMeta& object) {
  if (policy.metadata.namespace_ != object.namespace_) return false;
  const auto selector = api::Selector::from(policy.spec.selector);
  return selector && selector->matches(object.labels);
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
    choice.policy = policy;
    choice.conflicting.push_back(policy->metadata.name.str());
  }
  if (choice.conflicting.size() > 1) {
    choice.policy = nullptr;
    std::ranges::sort(choice.conflicting);
  } else {
    choice.conflicting.clear();
  }
  return choice;
}

}  // namespace capstan::controllers
