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

bool limits_fleet(const Caches& caches) {
  const auto policy = fleet_policy_of(caches);
  return policy && !policy->spec.limits.empty();
}

bool has_granter(const Caches& caches) {
  const auto policy = fleet_policy_of(caches);
  return policy && policy->status.observed_generation > 0;
}

}  // namespace capstan::controllers::safety
