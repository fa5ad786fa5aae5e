// What wakes a NodeConfig: its own changes, its Cluster, the CloudConfigs that refer to it, and Nodes of
// their Machines and pools that come or go.
#include "runtime/triggers.h"
#include "api/names.h"
#include "api/v1beta2/cluster_state.h"
#include "bootstrap/nodeconfig/reconciler.h"

namespace capstan::bootstrap::nodeconfig {
namespace {

using runtime::Change;

std::string reference_in(const runtime::Snapshot<api::CloudConfig>& config) {
  return config && config->spec.node_config_ref ? config->spec.node_config_ref->name.str() : std::string();
}

std::vector<ObjectKey> referred_by(const Change<api::CloudConfig>& change) {
  const std::string before = reference_in(change.before);
  const std::string after = reference_in(change.after);
  std::vector<ObjectKey> keys;
  if (before == after) return keys;
  for (const std::string& name : {before, after})
    if (!name.empty())
      keys.push_back({.namespace_ = change.object().metadata.namespace_.str(), .name = name});
  return keys;
}

const api::MachineSpec& spec_of(const api::Machine& machine) { return machine.spec; }
const api::MachineSpec& spec_of(const api::MachinePool& pool) { return pool.spec.machine_template.spec; }

const auto& nodes_in(const api::Machine& machine) { return machine.status.node_ref; }
const auto& nodes_in(const api::MachinePool& pool) { return pool.status.node_refs; }

// Of a Machine or a MachinePool.
template <typename T>
std::vector<ObjectKey> used_by(const Caches& caches, const Change<T>& change) {
  if (change.before && change.after && nodes_in(*change.before) == nodes_in(*change.after)) return {};
  const auto& ref = spec_of(change.object()).bootstrap.config_ref;
  if (!ref || ref->kind != api::bootstrap_kind::kCloudConfig || ref->api_group != api::group::kBootstrap)
    return {};
  const std::string namespace_ = change.object().metadata.namespace_.str();
  const std::string name =
      reference_in(caches.cloud_configs.get({.namespace_ = namespace_, .name = ref->name.str()}));
  if (name.empty()) return {};
  return {{.namespace_ = namespace_, .name = name}};
}

template <typename T>
void trigger_users(runtime::Store<T>& owners, const Caches& caches, runtime::Queue& queue) {
  runtime::trigger<T>(owners, queue,
                      [&caches](const Change<T>& change) { return used_by<T>(caches, change); });
}

bool is_news(const Change<api::Cluster>& change) {
  if (!change.before || !change.after) return true;
  return change.before->spec.paused != change.after->spec.paused ||
         change.before->metadata.deleting() != change.after->metadata.deleting() ||
         api::control_plane_initialized(*change.before) != api::control_plane_initialized(*change.after);
}

std::vector<ObjectKey> for_cluster(const Caches& caches, const Change<api::Cluster>& change) {
  std::vector<ObjectKey> keys;
  if (!is_news(change)) return keys;
  for (const auto& config : caches.node_configs_of(runtime::key_of(change.object())))
    keys.push_back(runtime::key_of(*config));
  return keys;
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger_self(caches.node_configs, queue);
  runtime::trigger<api::CloudConfig>(caches.cloud_configs, queue, referred_by);
  trigger_users(caches.machines, caches, queue);
  trigger_users(caches.machine_pools, caches, queue);
  runtime::trigger<api::Cluster>(caches.clusters, queue, [&caches](const Change<api::Cluster>& change) {
    return for_cluster(caches, change);
  });
}

}  // namespace capstan::bootstrap::nodeconfig
