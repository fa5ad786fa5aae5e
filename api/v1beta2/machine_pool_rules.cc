#include "api/v1beta2/machine_pool_rules.h"

#include "api/schema/validate.h"
#include "base/try.h"

namespace capstan::api {
namespace {

constexpr std::int32_t kDefaultNodeDeletionTimeoutSeconds = 10;

// Both complaints about taints name spec.taints, as upstream's do, although the field is in the template.
void check_no_taints(const MachinePool& now, const Gates& gates, Causes& causes) {
  if (now.spec.machine_template.spec.taints.empty()) return;
  causes.push_back(field_forbidden("spec.taints", "taints feature for MachinePools is not yet implemented"));
  if (gates.machine_taint_propagation) return;
  causes.push_back(field_forbidden(
      "spec.taints",
      "taints are not allowed to be set when the feature gate MachineTaintPropagation is disabled"));
}

}  // namespace

Result<void> apply_defaults(MachinePool& now, const MachinePool* before) {
  rules::label_cluster(now.metadata, now.spec.cluster_name);
  if (!now.spec.replicas) {
    now.spec.replicas =
        TRY(rules::default_replicas({.kind = kind::kMachinePool,
                                     .metadata = &now.metadata,
                                     .before = before == nullptr ? std::nullopt : before->spec.replicas}));
  }
  auto& timeout = now.spec.machine_template.spec.deletion.node_deletion_timeout_seconds;
  if (!timeout) timeout = kDefaultNodeDeletionTimeoutSeconds;
  rules::prefix_version(now.spec.machine_template.spec.version);
  return {};
}

Causes validate(const MachinePool& now, const MachinePool* before, const Gates& gates) {
  // A pool that was stored while the gate was on stays writable around its spec: finalizers have to come off.
  const bool is_new = before == nullptr || before->spec != now.spec;
  if (is_new && !gates.machine_pool) {
    return {field_forbidden("spec", "can be set only if the MachinePool feature flag is enabled")};
  }
  Causes causes;
  const auto& machine = now.spec.machine_template;
  rules::check_bootstrap("spec.template.spec", machine.spec.bootstrap, causes);
  rules::check_cluster_name_unchanged(now.spec.cluster_name,
                                      before == nullptr ? nullptr : &before->spec.cluster_name, causes);
  rules::check_same_cluster_name(now.spec.cluster_name, machine.spec, causes);
  rules::check_version("spec.template.spec", machine.spec.version, causes);
  check_no_taints(now, gates, causes);
  rules::check_template_metadata(machine.metadata, causes);
  return causes;
}

}  // namespace capstan::api
