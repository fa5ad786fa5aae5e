#include "api/v1beta2/machine_rules.h"

#include <algorithm>

#include "api/schema/validate.h"

namespace capstan::api {
namespace {

constexpr std::int32_t kDefaultNodeDeletionTimeoutSeconds = 10;

// Machines of a pool have no bootstrap data of their own.
bool belongs_to_pool(const Machine& machine) {
  if (machine.metadata.labels.contains(label::kPoolName)) return true;
  return std::ranges::any_of(*machine.metadata.owner_references,
                             [](const OwnerReference& owner) { return owner.kind == kind::kMachinePool; });
}

}  // namespace

Result<void> apply_defaults(Machine& now, const Machine* /*before*/) {
  rules::label_cluster(now.metadata, now.spec.cluster_name);
  rules::prefix_version(now.spec.version);
  auto& timeout = now.spec.deletion.node_deletion_timeout_seconds;
  if (!timeout) timeout = kDefaultNodeDeletionTimeoutSeconds;
  return {};
}

Causes validate(const Machine& now, const Machine* before, const Gates& gates) {
  Causes causes;
  if (!belongs_to_pool(now)) rules::check_bootstrap("spec", now.spec.bootstrap, causes);
  rules::check_cluster_name_unchanged(now.spec.cluster_name,
                                      before == nullptr ? nullptr : &before->spec.cluster_name, causes);
  rules::check_version("spec", now.spec.version, causes);
  rules::check_taints("spec.taints", now.spec.taints, gates, causes);
  if (!now.metadata.labels.contains(label::kControlPlane)) {
    rules::check_worker_taints("spec.taints", now.spec.taints, gates, causes);
  }
  return causes;
}

}  // namespace capstan::api
