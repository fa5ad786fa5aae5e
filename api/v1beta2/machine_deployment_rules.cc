#include "api/v1beta2/machine_deployment_rules.h"

#include <fmt/core.h>

#include "api/schema/validate.h"
#include "api/v1beta2/syntax.h"
#include "base/try.h"

namespace capstan::api {
namespace {

constexpr std::int32_t kDefaultMaxSurge = 1;
constexpr std::int32_t kDefaultMaxUnavailable = 0;

void default_strategy(Rollout& rollout) {
  if (!rollout.strategy) rollout.strategy.emplace();
  if (rollout.strategy->type.empty()) rollout.strategy->type = Text(rollout_strategy::kRollingUpdate);
  if (rollout.strategy->type != rollout_strategy::kRollingUpdate) return;
  auto& limits = rollout.strategy->rolling_update;
  if (!limits.max_surge) limits.max_surge = IntOrString(kDefaultMaxSurge);
  if (!limits.max_unavailable) limits.max_unavailable = IntOrString(kDefaultMaxUnavailable);
}

void default_labels(MachineDeployment& now) {
  auto& selected = now.spec.selector.match_labels;
  auto& given = now.spec.machine_template.metadata.labels;
  if (now.spec.selector.empty()) {
    selected.set(Text(label::kDeploymentName), now.metadata.name);
    given.set(Text(label::kDeploymentName), now.metadata.name);
  }
  selected.set(Text(label::kClusterName), now.spec.cluster_name);
  given.set(Text(label::kClusterName), now.spec.cluster_name);
}

bool is_number_zero(const std::optional<IntOrString>& value) {
  return value && !value->is_string() && value->number() == 0;
}

// "0%" together with "0%" passes, as ever; the planner then takes one Machine down at a time.
void check_rolling_update(const Rollout& rollout, Causes& causes) {
  if (!rollout.strategy) return;
  const auto& limits = rollout.strategy->rolling_update;
  rules::check_int_or_percent("spec.rollout.strategy.rollingUpdate.maxUnavailable", limits.max_unavailable,
                              causes);
  rules::check_int_or_percent("spec.rollout.strategy.rollingUpdate.maxSurge", limits.max_surge, causes);
  if (is_number_zero(limits.max_unavailable) && is_number_zero(limits.max_surge)) {
    causes.push_back(field_invalid("spec.rollout.strategy.rollingUpdate",
                                   quoted(limits.max_surge->to_string()),
                                   "maxUnavailable and maxSurge cannot both be 0"));
  }
}

void check_selection(const MachineDeployment& now, Causes& causes) {
  const auto selector = rules::check_selector("spec.selector", now.spec.selector, causes);
  if (!selector || selector->matches(now.spec.machine_template.metadata.labels)) return;
  causes.push_back(field_forbidden("spec.template.metadata.labels",
                                   fmt::format("must match spec.selector {}", quoted(selector->str()))));
}

}  // namespace

Result<void> apply_defaults(MachineDeployment& now, const MachineDeployment* before) {
  rules::label_cluster(now.metadata, now.spec.cluster_name);
  if (!now.spec.replicas) {
    now.spec.replicas =
        TRY(rules::default_replicas({.kind = kind::kMachineDeployment,
                                     .metadata = &now.metadata,
                                     .before = before == nullptr ? std::nullopt : before->spec.replicas}));
  }
  default_strategy(now.spec.rollout);
  default_labels(now);
  rules::prefix_version(now.spec.machine_template.spec.version);
  return {};
}

Causes validate(const MachineDeployment& now, const MachineDeployment* before, const Gates& gates) {
  Causes causes;
  const auto& machine = now.spec.machine_template;
  for (const auto& fault : label_value_faults(now.metadata.name)) {
    causes.push_back(
        field_invalid("metadata.name", quoted(now.metadata.name), "must be a valid label value: " + fault));
  }
  rules::check_bootstrap("spec.template.spec", machine.spec.bootstrap, causes);
  check_selection(now, causes);
  rules::check_skipped_preflight_checks(now.metadata, gates, causes);
  rules::check_cluster_name_unchanged(now.spec.cluster_name,
                                      before == nullptr ? nullptr : &before->spec.cluster_name, causes);
  rules::check_same_cluster_name(now.spec.cluster_name, machine.spec, causes);
  check_rolling_update(now.spec.rollout, causes);
  rules::check_int_or_percent("spec.remediation.maxInFlight", now.spec.remediation.max_in_flight, causes);
  rules::check_version("spec.template.spec", machine.spec.version, causes);
  rules::check_naming(now.spec.machine_naming.name_template, causes);
  rules::check_taints("spec.template.spec.taints", machine.spec.taints, gates, causes);
  rules::check_worker_taints("spec.template.spec.taints", machine.spec.taints, gates, causes);
  rules::check_template_metadata(machine.metadata, causes);
  return causes;
}

}  // namespace capstan::api
