#include "controllers/machinehealthcheck/observe.h"

#include "api/conditions/conditions.h"

namespace capstan::controllers::machinehealthcheck {

bool is_target(const api::Machine& machine, const api::Selector& selector) {
  const auto& metadata = machine.metadata;
  return selector.matches(metadata.labels) && !metadata.annotations.contains(api::annotation::kPaused) &&
         !metadata.annotations.contains(api::annotation::kSkipRemediation);
}

bool is_spared(const api::Machine& machine, const api::Selector& selector) {
  return machine.metadata.annotations.contains(api::annotation::kSkipRemediation) &&
         api::conditions::is_false(machine.status.conditions, api::condition::kOwnerRemediated) &&
         selector.matches(machine.metadata.labels);
}

Result<api::Selector> selector_of(const api::MachineHealthCheck& check) {
  if (check.spec.selector.empty()) return fail(Code::Invalid, "spec.selector: must not be empty");
  auto selector = api::Selector::from(check.spec.selector);
  if (!selector) return fail(selector.error().context("spec.selector"));
  return selector;
}

bool control_plane_initialized(const api::Cluster& cluster) {
  return api::conditions::is_true(cluster.status.conditions, api::condition::kControlPlaneInitialized);
}

}  // namespace capstan::controllers::machinehealthcheck
