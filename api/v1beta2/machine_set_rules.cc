#include "api/v1beta2/machine_set_rules.h"

#include <fmt/core.h>

#include "api/schema/validate.h"
#include "api/v1beta2/syntax.h"
#include "base/try.h"

namespace capstan::api {

Result<void> apply_defaults(MachineSet& now, const MachineSet* before) {
  rules::label_cluster(now.metadata, now.spec.cluster_name);
  if (!now.spec.replicas) {
    now.spec.replicas =
        TRY(rules::default_replicas({.kind = kind::kMachineSet,
                                     .metadata = &now.metadata,
                                     .before = before == nullptr ? std::nullopt : before->spec.replicas}));
  }
  if (now.spec.selector.empty()) {
    const Text name(label_value(now.metadata.name));
    now.spec.selector.match_labels.set(Text(label::kSetName), name);
    now.spec.machine_template.metadata.labels.set(Text(label::kSetName), name);
  }
  rules::prefix_version(now.spec.machine_template.spec.version);
  return {};
}

Causes validate(const MachineSet& now, const MachineSet* before, const Gates& gates) {
  Causes causes;
  const auto& machine = now.spec.machine_template;
  rules::check_bootstrap("spec.template.spec", machine.spec.bootstrap, causes);
  const auto selector = rules::check_selector("spec.selector", now.spec.selector, causes);
  if (selector && !selector->matches(machine.metadata.labels)) {
    causes.push_back(field_invalid("spec.template.metadata.labels", rules::json_text(machine.metadata.labels),
                                   fmt::format("must match spec.selector {}", quoted(selector->str()))));
  }
  rules::check_skipped_preflight_checks(now.metadata, gates, causes);
  rules::check_cluster_name_unchanged(now.spec.cluster_name,
                                      before == nullptr ? nullptr : &before->spec.cluster_name, causes);
  rules::check_same_cluster_name(now.spec.cluster_name, machine.spec, causes);
  rules::check_version("spec.template.spec", machine.spec.version, causes);
  rules::check_taints("spec.template.spec.taints", machine.spec.taints, gates, causes);
  rules::check_worker_taints("spec.template.spec.taints", machine.spec.taints, gates, causes);
  rules::check_naming(now.spec.machine_naming.name_template, causes);
  rules::check_template_metadata(machine.metadata, causes);
  return causes;
}

}  // namespace capstan::api
