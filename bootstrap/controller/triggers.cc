// What wakes a CloudConfig: its own changes, its Machine or MachinePool, its Cluster, and its NodeConfig.
#include "runtime/triggers.h"
#include "api/names.h"
#include "api/v1beta2/cluster_state.h"
#include "bootstrap/controller/reconciler.h"
#include "bootstrap/controller/stage.h"

namespace capstan::bootstrap::controller {
namespace {

using runtime::Change;

const api::MachineSpec& spec_in(const api::Machine& machine) { return machine.spec; }
const api::MachineSpec& spec_in(const api::MachinePool& pool) { return pool.spec.machine_template.spec; }

// What a token waits for.
auto progress_of(const api::Machine& machine) {
  return std::tuple(machine.metadata.deleting(), machine.status.node_ref.has_value(),
                    machine.status.initialization.infrastructure_provisioned);
}
auto progress_of(const api::MachinePool& pool) {
  return std::tuple(pool.metadata.deleting(), pool.status.node_refs.size(), pool.spec.replicas);
}

// Progress is no news for a CloudConfig without a token.
template <typename T>
bool is_news(const Caches& caches, const ObjectKey& config, const Change<T>& change) {
  if (!change.before || !change.after) return true;
  if (!(spec_in(*change.before) == spec_in(*change.after))) return true;
  if (progress_of(*change.before) == progress_of(*change.after)) return false;
  const auto known = caches.cloud_configs.get(config);
  return known && may_have_token(*known);
}

// Of a Machine or a MachinePool.
template <typename T>
std::vector<ObjectKey> config_of(const Caches& caches, const Change<T>& change) {
  const auto& ref = spec_in(change.object()).bootstrap.config_ref;
  if (!ref || ref->kind != api::bootstrap_kind::kCloudConfig || ref->api_group != api::group::kBootstrap)
    return {};
  ObjectKey key{.namespace_ = change.object().metadata.namespace_.str(), .name = ref->name.str()};
  if (!is_news(caches, key, change)) return {};
  return {std::move(key)};
}

template <typename T>
void trigger_owner(runtime::Store<T>& owners, const Caches& caches, runtime::Queue& queue) {
  runtime::trigger<T>(owners, queue,
                      [&caches](const Change<T>& change) { return config_of<T>(caches, change); });
}

auto readiness_of(const api::Cluster& cluster) {
  return std::tuple(cluster.spec.paused, cluster.status.initialization.infrastructure_provisioned,
                    api::control_plane_initialized(cluster));
}

bool concerns_data(const Change<api::Cluster>& change) {
  return !change.before || !change.after || readiness_of(*change.before) != readiness_of(*change.after);
}

bool concerns_joining(const Change<api::Cluster>& change) {
  return !(change.before->spec.control_plane_endpoint == change.after->spec.control_plane_endpoint) ||
         change.before->metadata.deleting() != change.after->metadata.deleting();
}

std::vector<ObjectKey> configs_of(const Caches& caches, const Change<api::Cluster>& change) {
  std::vector<ObjectKey> keys;
  const bool for_all = concerns_data(change);
  if (!for_all && !concerns_joining(change)) return keys;
  for (const auto& config : caches.cloud_configs_of(runtime::key_of(change.object())))
    if (for_all || config->spec.join) keys.push_back(runtime::key_of(*config));
  return keys;
}

// Whether new machines may be born with it.
auto usability_of(const Snapshot<api::NodeConfig>& config) {
  return std::tuple(config != nullptr, config && config->metadata.deleting(),
                    config && !config->status.checksum.empty());
}

std::vector<ObjectKey> users_of(const Caches& caches, const Change<api::NodeConfig>& change) {
  std::vector<ObjectKey> keys;
  if (usability_of(change.before) == usability_of(change.after)) return keys;
  for (const auto& config : caches.users_of(runtime::key_of(change.object())))
    keys.push_back(runtime::key_of(*config));
  return keys;
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger_self(caches.cloud_configs, queue);
  trigger_owner(caches.machines, caches, queue);
  trigger_owner(caches.machine_pools, caches, queue);
  runtime::trigger<api::NodeConfig>(
      caches.node_configs, queue,
      [&caches](const Change<api::NodeConfig>& change) { return users_of(caches, change); });
  runtime::trigger<api::Cluster>(caches.clusters, queue, [&caches](const Change<api::Cluster>& change) {
    return configs_of(caches, change);
  });
}

}  // namespace capstan::bootstrap::controller
