#include "controllers/safety/see_deletion_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/policy/fleet_policy.h"
#include "controllers/safety/fleet_request.h"
#include "controllers/safety/read_windows.h"
#include "controllers/shared/caches.h"

namespace capstan::controllers::safety {
namespace {

bool governs(const api::MachineLifecyclePolicy& policy, const PolicyChoice& choice) {
  const auto is_it = [&](const auto& each) { return each && each->metadata.uid == policy.metadata.uid; };
  return is_it(choice.policy) || std::ranges::any_of(choice.rivals, is_it);
}

std::size_t staying_of(const Caches& caches, const api::Uid& owner) {
  const auto machines = caches.machines_owned_by(owner);
  return static_cast<std::size_t>(
      std::ranges::count_if(machines, [](const auto& machine) { return !machine->metadata.deleting(); }));
}

// Of MachineSets, and of pools whose provider makes Machines.
std::size_t machines_that_stay(const Caches& caches, const api::MachineLifecyclePolicy& policy) {
  const auto namespace_ = policy.metadata.namespace_.view();
  const auto policies = caches.policies_in(namespace_);
  std::size_t count = 0;
  for (const auto& set : caches.machine_sets_in(namespace_)) {
    if (governs(policy, policy_for(caches, *set))) count += staying_of(caches, set->metadata.uid);
  }
  for (const auto& pool : caches.machine_pools_in(namespace_)) {
    if (governs(policy, policy_for(pool->metadata, policies)))
      count += staying_of(caches, pool->metadata.uid);
  }
  return count;
}

Windows windows_of_fleet(const Caches& caches) {
  const auto fleet = fleet_policy_of(caches);
  if (!fleet) return {};
  return read_windows(fleet->spec.windows, fmt::format("FleetPolicy {}", api::policy::kFleetPolicyName));
}

// Of several that conflict the guard that lets the least go asks.
void add_rules(const api::MachineLifecyclePolicy& policy, DeletionRules& rules) {
  const std::string name = policy.metadata.name.str();
  if (!policy.spec.windows.empty())
    rules.windows.push_back(read_windows(policy.spec.windows, "MachineLifecyclePolicy " + name));
  if (!policy.spec.deletion_guard) return;
  const auto percent = policy.spec.deletion_guard->percent.value_or(api::PolicyDeletionGuard::kPercent);
  if (rules.guard_percent && *rules.guard_percent <= percent) return;
  rules.guard_percent = percent;
  rules.policy = name;
}

}  // namespace

DeletionRules see_deletion_rules(const Caches& caches, const PolicyChoice& choice) {
  DeletionRules rules{.fleet_windows = windows_of_fleet(caches)};
  if (choice.policy) rules.policy = choice.policy->metadata.name.str();
  if (choice.policy) add_rules(*choice.policy, rules);
  if (!choice.rivals.empty()) rules.policy = choice.conflicting.front();
  for (const auto& rival : choice.rivals) add_rules(*rival, rules);
  return rules;
}

// A policy that is gone by now governs none.
void count_governed(const Caches& caches, std::string_view namespace_, DeletionRules& rules) {
  const auto policy =
      caches.machine_lifecycle_policies.get({.namespace_ = std::string(namespace_), .name = rules.policy});
  rules.governed = policy ? machines_that_stay(caches, *policy) : 0;
}

}  // namespace capstan::controllers::safety
