#include "api/v1beta2/machine_health_check_rules.h"

#include "api/schema/encode.h"
#include "api/schema/validate.h"

namespace capstan::api {
namespace {

constexpr std::int32_t kDefaultNodeStartupTimeoutSeconds = 600;
constexpr std::int32_t kShortestNodeStartupTimeoutSeconds = 30;  // 0 switches the check off

void check_selection(const MachineHealthCheck& now, Causes& causes) {
  const auto& selector = now.spec.selector;
  const bool understood = rules::check_selector("spec.selector", selector, causes).has_value();
  if (understood && selector.empty())
    causes.push_back(field_required("spec.selector", "selector must not be empty"));
  const auto* cluster = selector.match_labels.find(label::kClusterName);
  if (cluster != nullptr && *cluster != now.spec.cluster_name) {
    causes.push_back(
        field_invalid("spec.selector", encode(selector),
                      "cannot specify a cluster selector other than the one specified by ClusterName"));
  }
}

}  // namespace

Result<void> apply_defaults(MachineHealthCheck& now, const MachineHealthCheck* /*before*/) {
  rules::label_cluster(now.metadata, now.spec.cluster_name);
  auto& timeout = now.spec.checks.node_startup_timeout_seconds;
  if (!timeout) timeout = kDefaultNodeStartupTimeoutSeconds;
  return {};
}

Causes validate(const MachineHealthCheck& now, const MachineHealthCheck* before, const Gates& /*gates*/) {
  Causes causes;
  check_selection(now, causes);
  rules::check_cluster_name_unchanged(now.spec.cluster_name,
                                      before == nullptr ? nullptr : &before->spec.cluster_name, causes);
  const auto timeout =
      now.spec.checks.node_startup_timeout_seconds.value_or(kDefaultNodeStartupTimeoutSeconds);
  if (timeout != 0 && timeout < kShortestNodeStartupTimeoutSeconds) {
    causes.push_back(field_invalid("spec.checks.nodeStartupTimeoutSeconds", std::to_string(timeout),
                                   "must be at least 30s"));
  }
  rules::check_int_or_percent("spec.remediation.triggerIf.unhealthyLessThanOrEqualTo",
                              now.spec.remediation.trigger_if.unhealthy_less_than_or_equal_to, causes);
  return causes;
}

}  // namespace capstan::api
