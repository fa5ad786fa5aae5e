#include "controllers/safety/fleet_request.h"

#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/shared/caches.h"

namespace capstan::controllers::safety {
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
