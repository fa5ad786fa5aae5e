#include "api/v1beta2/cluster_rules.h"

#include <fmt/core.h>

#include "api/schema/validate.h"
#include "api/v1beta2/syntax.h"

namespace capstan::api {
namespace {

void check_ranges(std::string_view at, const std::optional<NetworkRanges>& ranges, Causes& causes) {
  if (!ranges) return;
  for (std::size_t i = 0; i < ranges->cidr_blocks.size(); ++i) {
    const std::string_view range = ranges->cidr_blocks[i];
    if (is_cidr(range)) continue;
    causes.push_back(field_invalid(fmt::format("spec.clusterNetwork.{}.cidrBlocks[{}]", at, i), quoted(range),
                                   fmt::format("invalid CIDR address: {}", range)));
  }
}

bool points_elsewhere(const std::optional<ContractRef>& now, const std::optional<ContractRef>& before) {
  if (!now || !before) return false;
  return now->name != before->name || now->kind != before->kind || now->api_group != before->api_group;
}

// What the Cluster owned would be left behind, and the new object may be another Cluster's. Who means it
// pauses the Cluster first.
void check_moves(const ClusterSpec& now, const Cluster* before, Causes& causes) {
  if (before == nullptr || before->spec.paused.value_or(false)) return;
  const auto& done = before->status.initialization;
  if (done.infrastructure_provisioned.value_or(false) &&
      points_elsewhere(now.infrastructure_ref, before->spec.infrastructure_ref)) {
    causes.push_back(
        field_forbidden("spec.infrastructureRef",
                        "cannot be changed once the infrastructure is provisioned, unless spec.paused is "
                        "true"));
  }
  if (done.control_plane_initialized.value_or(false) &&
      points_elsewhere(now.control_plane_ref, before->spec.control_plane_ref)) {
    causes.push_back(
        field_forbidden("spec.controlPlaneRef",
                        "cannot be changed once the control plane is initialized, unless spec.paused is "
                        "true"));
  }
}

// A reference may point elsewhere as long as nothing came of it, but never nowhere.
void check_references(const ClusterSpec& now, const ClusterSpec* before, Causes& causes) {
  if (before != nullptr && rules::is_defined(before->infrastructure_ref) &&
      !rules::is_defined(now.infrastructure_ref)) {
    causes.push_back(field_forbidden("spec.infrastructureRef", "cannot be removed"));
  }
  if (!rules::is_defined(now.control_plane_ref) && !rules::is_defined(now.infrastructure_ref) &&
      now.topology.empty()) {
    causes.push_back(field_forbidden(
        "spec", "one of spec.controlPlaneRef, spec.infrastructureRef or spec.topology must be set"));
  }
  if (before != nullptr && rules::is_defined(before->control_plane_ref) &&
      !rules::is_defined(now.control_plane_ref)) {
    causes.push_back(field_forbidden("spec.controlPlaneRef", "cannot be removed"));
  }
}

void check_topology(const ClusterSpec& now, const ClusterSpec* before, const Gates& gates, Causes& causes) {
  // A topology that was stored while the gate was on stays writable around it: finalizers have to come off.
  const bool is_new = before == nullptr || before->topology != now.topology;
  if (!now.topology.empty() && is_new && !gates.cluster_topology) {
    causes.push_back(
        field_forbidden("spec.topology", "can be set only if the ClusterTopology feature flag is enabled"));
  }
  if (before != nullptr && !before->topology.empty() && now.topology.empty()) {
    causes.push_back(field_forbidden("spec.topology", "cannot be removed from an existing Cluster"));
  }
}

}  // namespace

Result<void> apply_defaults(Cluster& /*now*/, const Cluster* /*before*/) { return {}; }

Causes validate(const Cluster& now, const Cluster* before, const Gates& gates) {
  Causes causes;
  const auto* spec_before = before == nullptr ? nullptr : &before->spec;
  for (const auto& fault : label_value_faults(now.metadata.name)) {
    causes.push_back(
        field_invalid("metadata.name", quoted(now.metadata.name), "must be a valid label value " + fault));
  }
  check_references(now.spec, spec_before, causes);
  check_moves(now.spec, before, causes);
  check_ranges("pods", now.spec.cluster_network.pods, causes);
  check_ranges("services", now.spec.cluster_network.services, causes);
  check_topology(now.spec, spec_before, gates, causes);
  return causes;
}

}  // namespace capstan::api
