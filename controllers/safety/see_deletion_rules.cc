#include "controllers/safety/see_deletion_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/policy/fleet_policy.h"
#include "controllers/safety/fleet_request.h"
#include "controllers/safety/read_windows.h"
#include "controllers/shared/caches.h"

namespace capstan::controllers::safety {
namespace {

bool governs(const Caches& caches, const api::MachineLifecyclePolicy& policy, const api::MachineSet& set) {
  const auto governing = policy_for(caches, set).policy;
  return governing && governing->metadata.uid == policy.metadata.uid;
}

std::size_t machines_that_stay(const Caches& caches, const api::MachineLifecyclePolicy& policy) {
  std::size_t count = 0;
  for (const auto& set : caches.machine_sets_in(policy.metadata.namespace_.view())) {
    if (!governs(caches, policy, *set)) continue;
    const auto machines = caches.machines_owned_by(set->metadata.uid);
    count += static_cast<std::size_t>(
        std::ranges::count_if(machines, [](const auto& machine) { return !machine->metadata.deleting(); }));
  }
  return count;
}

Windows windows_of_fleet(const Caches& caches) {
  const auto fleet = fleet_policy_of(caches);
  if (!fleet) return {};
  return read_windows(fleet->spec.windows, fmt::format("FleetPolicy {}", api::policy::kFleetPolicyName));
}

}  // namespace

DeletionRules see_deletion_rules(const Caches& caches, const PolicyChoice& choice) {
  DeletionRules rules{.fleet_windows = windows_of_fleet(caches)};
  if (!choice.policy) return rules;
  const auto& policy = *choice.policy;
  rules.policy = policy.metadata.name.str();
  rules.windows = read_windows(policy.spec.windows, "MachineLifecyclePolicy " + rules.policy);
  if (!policy.spec.deletion_guard) return rules;
  rules.guard_percent = policy.spec.deletion_guard->percent.value_or(api::PolicyDeletionGuard::kPercent);
  return rules;
}

// A policy that is gone by now governs none.
void count_governed(const Caches& caches, std::string_view namespace_, DeletionRules& rules) {
  const auto policy =
      caches.machine_lifecycle_policies.get({.namespace_ = std::string(namespace_), .name = rules.policy});
  rules.governed = policy ? machines_that_stay(caches, *policy) : 0;
}

}  // namespace capstan::controllers::safety
