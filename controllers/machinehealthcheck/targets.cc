#include "controllers/machinehealthcheck/targets.h"

#include <fmt/format.h>

#include "api/conditions/conditions.h"
#include "api/contract/template_clone.h"
#include "base/safeguards.h"
#include "kube/resources.h"

namespace capstan::controllers::machinehealthcheck {

bool is_target(const api::Machine& machine, const api::Selector& selector) {
  const auto& metadata = machine.metadata;
  return selector.matches(metadata.labels) && !metadata.annotations.contains(api::annotation::kPaused) &&
         !metadata.annotations.contains(api::annotation::kSkipRemediation);
}

bool is_exempted(const api::Machine& machine, const api::Selector& selector) {
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

std::string template_problem(const api::MachineHealthCheck& check,
                             const std::vector<Snapshot<api::Machine>>& machines) {
  const auto& reference = check.spec.remediation.template_ref;
  if (!reference || is_off(Safeguard::RemediationRequest)) return {};
  const auto request =
      kube::resource_for(reference->api_version, api::contract::cloned_kind(reference->kind));
  const auto is_made_of = [&](const api::ContractRef& used) {
    return used.kind == request.kind && used.api_group == request.group;
  };
  for (const auto& machine : machines) {
    const bool infrastructure = is_made_of(machine->spec.infrastructure_ref);
    const auto& config = machine->spec.bootstrap.config_ref;
    if (!infrastructure && !(config && is_made_of(*config))) continue;
    return fmt::format(
        "spec.remediation.templateRef: {0} is the template of {1}, which Machines of Cluster {2} use as "
        "their {3} "
        "(Machine {4}, for one); name the template of a remediation provider, or leave "
        "spec.remediation.templateRef out to have Machines replaced by their owners",
        reference->kind.view(), request.kind, check.spec.cluster_name.view(),
        infrastructure ? "infrastructure" : "bootstrap configuration", machine->metadata.name.view());
  }
  return {};
}

bool control_plane_initialized(const api::Cluster& cluster) {
  return api::conditions::is_true(cluster.status.conditions, api::condition::kControlPlaneInitialized);
}

}  // namespace capstan::controllers::machinehealthcheck
