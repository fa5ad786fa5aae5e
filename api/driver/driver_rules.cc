#include "api/driver/driver_rules.h"

#include <fmt/core.h>

#include <charconv>

#include "api/schema/validate.h"

namespace capstan::api {
namespace {

constexpr std::int32_t kMostInstances = 10000;  // what spec.providerIDList can hold

// The schemas' CEL rules say the same of identities; the embedded API server evaluates none, and has only
// these.
void check_kept(std::string_view field, const Text& now, const Text& before, Causes& causes) {
  if (!before.empty() && before != now) causes.push_back(field_forbidden(field, "can't be changed once set"));
}

void check_driver(const Text& now, const Text& before, Causes& causes) {
  if (now != before)
    causes.push_back(field_forbidden("spec.driver", "can't be changed: its VMs are where it made them"));
}

void check_endpoint(const ApiEndpoint& endpoint, Causes& causes) {
  constexpr std::string_view kTogether = "host and port are given together, or left to the provider";
  if (!endpoint.host.empty() && !endpoint.port)
    causes.push_back(field_required("spec.controlPlaneEndpoint.port", kTogether));
  if (endpoint.host.empty() && endpoint.port)
    causes.push_back(field_required("spec.controlPlaneEndpoint.host", kTogether));
}

void check_autoscaled_size(const ObjectMeta& metadata, Causes& causes) {
  const Text* wanted = metadata.annotations.find(driver::annotation::kAutoscaledTo);
  if (wanted == nullptr) return;
  const std::string_view text = *wanted;
  std::int32_t size = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (fault == std::errc() && end == text.data() + text.size() && size >= 0 && size <= kMostInstances) return;
  causes.push_back(field_invalid(fmt::format("metadata.annotations.{}", driver::annotation::kAutoscaledTo),
                                 quoted(text),
                                 fmt::format("must be a number between 0 and {}", kMostInstances)));
}

}  // namespace

Causes validate(const DriverCluster& now, const DriverCluster* before, const Gates& /*gates*/) {
  Causes causes;
  if (before != nullptr)
    check_kept("spec.clusterKey", now.spec.cluster_key, before->spec.cluster_key, causes);
  check_endpoint(now.spec.control_plane_endpoint, causes);
  return causes;
}

Causes validate(const DriverMachine& now, const DriverMachine* before, const Gates& /*gates*/) {
  Causes causes;
  if (before == nullptr) return causes;
  check_kept("spec.instanceKey", now.spec.instance_key, before->spec.instance_key, causes);
  check_kept("spec.providerID", now.spec.provider_id, before->spec.provider_id, causes);
  check_driver(now.spec.driver, before->spec.driver, causes);
  check_kept("spec.account", now.spec.account, before->spec.account, causes);
  return causes;
}

Causes validate(const DriverMachineTemplate& now, const DriverMachineTemplate* /*before*/,
                const Gates& /*gates*/) {
  Causes causes;
  const auto& machine = now.spec.template_;
  if (!machine.spec.instance_key.empty())
    causes.push_back(field_forbidden("spec.template.spec.instanceKey", "a template names no VM"));
  if (!machine.spec.provider_id.empty())
    causes.push_back(field_forbidden("spec.template.spec.providerID", "a template names no VM"));
  if (!machine.spec.account.empty())
    causes.push_back(field_forbidden("spec.template.spec.account", "a template names no VM"));
  rules::check_template_metadata(machine.metadata, causes);
  return causes;
}

Causes validate(const DriverMachinePool& now, const DriverMachinePool* before, const Gates& /*gates*/) {
  Causes causes;
  if (before != nullptr) {
    check_kept("spec.groupKey", now.spec.group_key, before->spec.group_key, causes);
    check_driver(now.spec.driver, before->spec.driver, causes);
    check_kept("spec.account", now.spec.account, before->spec.account, causes);
    if (now.spec.with_machines != before->spec.with_machines) {
      causes.push_back(field_forbidden("spec.withMachines",
                                       "can't be changed: make another pool and move the work there"));
    }
  }
  check_autoscaled_size(now.metadata, causes);
  return causes;
}

}  // namespace capstan::api
