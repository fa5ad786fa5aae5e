// What wakes a Cluster: CloudConfigs that get a NodeConfig, Machines of such that are seen after them, pools
// that wait for Nodes, its control plane when that comes up, and the end of a pause. What happens on the
// machines is found by looking again.
#include "runtime/triggers.h"
#include "api/v1beta2/cluster_state.h"
#include "bootstrap/approval/reconciler.h"

namespace capstan::bootstrap::approval {
namespace {

using runtime::Change;

std::vector<ObjectKey> cluster_of_config(const Change<api::CloudConfig>& change) {
  if (!change.after || !change.after->spec.node_config_ref) return {};
  const std::string name = Caches::cluster_label_of(*change.after);
  const bool is_known = change.before && change.before->spec.node_config_ref &&
                        Caches::cluster_label_of(*change.before) == name &&
                        change.before->metadata.owner_references == change.after->metadata.owner_references;
  if (name.empty() || is_known) return {};
  return {{.namespace_ = change.after->metadata.namespace_.str(), .name = name}};
}

// Until it is seen, its CloudConfig joins nothing.
std::vector<ObjectKey> cluster_of_machine(const Caches& caches, const Change<api::Machine>& change) {
  if (change.before || !change.after->spec.bootstrap.config_ref) return {};
  const std::string namespace_ = change.after->metadata.namespace_.str();
  const auto config = caches.cloud_configs.get(
      {.namespace_ = namespace_, .name = change.after->spec.bootstrap.config_ref->name.str()});
  if (!config || !config->spec.node_config_ref) return {};
  return {{.namespace_ = namespace_, .name = change.after->spec.cluster_name.str()}};
}

std::vector<ObjectKey> cluster_of_pool(const Change<api::MachinePool>& change) {
  if (!change.after) return {};
  if (change.before && change.before->spec.replicas == change.after->spec.replicas &&
      change.before->status.node_refs == change.after->status.node_refs)
    return {};
  return {
      {.namespace_ = change.after->metadata.namespace_.str(), .name = change.after->spec.cluster_name.str()}};
}

std::vector<ObjectKey> itself(const Change<api::Cluster>& change) {
  if (!change.after) return {};
  if (change.before && change.before->spec.paused == change.after->spec.paused &&
      api::control_plane_initialized(*change.before) == api::control_plane_initialized(*change.after))
    return {};
  return {runtime::key_of(*change.after)};
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger<api::CloudConfig>(caches.cloud_configs, queue, cluster_of_config);
  runtime::trigger<api::Machine>(caches.machines, queue, [&caches](const Change<api::Machine>& change) {
    return cluster_of_machine(caches, change);
  });
  runtime::trigger<api::MachinePool>(caches.machine_pools, queue, cluster_of_pool);
  runtime::trigger<api::Cluster>(caches.clusters, queue, itself);
}

}  // namespace capstan::bootstrap::approval
