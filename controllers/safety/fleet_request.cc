#include "controllers/safety/fleet_request.h"

#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/shared/caches.h"

namespace capstan::controllers::safety {
namespace {

// As far as a change of it says anything to those who do not read these annotations.
api::ObjectMeta without_fleet_words(const api::ObjectMeta& metadata) {
  api::ObjectMeta rest = metadata;
  rest.resource_version = {};
  rest.managed_fields = {};
  rest.annotations.erase(api::policy::annotation::kFleetRequest);
  rest.annotations.erase(api::policy::annotation::kFleetGrant);
  return rest;
}

}  // namespace

bool differ_by_fleet_words_alone(const api::Machine& before, const api::Machine& after) {
  return (concerns_fleet(before) || concerns_fleet(after)) && before.spec == after.spec &&
         before.status == after.status &&
         without_fleet_words(before.metadata) == without_fleet_words(after.metadata);
}

bool is_worker(const api::Machine& machine) {
  return !machine.metadata.labels.contains(api::label::kControlPlane);
}

runtime::Snapshot<api::FleetPolicy> fleet_policy_of(const Caches& caches) {
  auto policy =
      caches.fleet_policies.get({.namespace_ = {}, .name = std::string(api::policy::kFleetPolicyName)});
  return policy && !policy->metadata.deleting() ? policy : nullptr;
}

FleetSeen see_fleet(const Caches& caches, std::span<const runtime::Snapshot<api::Machine>> machines) {
  const auto policy = fleet_policy_of(caches);
  if (!policy) return {.has_granter = false};
  FleetSeen seen{.limited = !policy->spec.limits.empty(),
                 .has_granter = policy->status.observed_generation > 0};
  std::unordered_set<api::Uid> say_so;
  for (const auto& machine : machines) {
    if (has_fleet_grant(*machine)) say_so.insert(machine->metadata.uid);
  }
  if (say_so.empty()) return seen;
  for (const api::FleetGrant& grant : policy->status.grants) {
    if (say_so.contains(grant.uid)) seen.granted.insert(grant.uid);
  }
  return seen;
}

}  // namespace capstan::controllers::safety
