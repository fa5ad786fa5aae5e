// What wakes a Cluster: its first CloudConfig that joins machines, each further one, the end of each, and its
// control plane when that comes up. A Cluster that joins no machines is looked at once after a start, and
// when it is unpaused: its last CloudConfig may have gone while the provider was away, or the Cluster paused.
#include "runtime/triggers.h"
#include "api/v1beta2/cluster_state.h"
#include "bootstrap/access/observe.h"
#include "bootstrap/access/reconciler.h"
#include "kube/typed.h"

namespace capstan::bootstrap::access {
namespace {

using runtime::Change;

// Of the Cluster whose machines it joins; "" for none. A user's own gets its label by its Machine, later.
std::string joins(const runtime::Snapshot<api::CloudConfig>& config) {
  if (!config || !config->spec.join || config->metadata.deleting()) return {};
  return Caches::cluster_label_of(*config);
}

bool has_lost_its_label(const api::CloudConfig& config) {
  return config.spec.join && Caches::cluster_label_of(config).empty();
}

// Its token stands in one of them.
std::vector<ObjectKey> clusters_beside(const Caches& caches, const api::CloudConfig& config) {
  std::vector<ObjectKey> keys;
  for (const auto& cluster : caches.clusters.all())
    if (cluster->metadata.namespace_ == config.metadata.namespace_) keys.push_back(kube::key_of(*cluster));
  return keys;
}

std::vector<ObjectKey> clusters_of(const Caches& caches, const Change<api::CloudConfig>& change) {
  if (!change.after && has_lost_its_label(*change.before)) return clusters_beside(caches, *change.before);
  const std::string before = joins(change.before);
  const std::string after = joins(change.after);
  std::vector<ObjectKey> keys;
  if (before == after) return keys;
  for (const std::string& name : {before, after})
    if (!name.empty())
      keys.push_back({.namespace_ = change.object().metadata.namespace_.str(), .name = name});
  return keys;
}

bool is_paused(const api::Cluster& cluster) { return cluster.spec.paused.value_or(false); }

bool is_unpaused(const Change<api::Cluster>& change) {
  return change.before && is_paused(*change.before) && !is_paused(*change.after);
}

bool gets_control_plane(const Change<api::Cluster>& change) {
  return change.before &&
         api::control_plane_initialized(*change.before) != api::control_plane_initialized(*change.after);
}

std::vector<ObjectKey> cluster_itself(const Caches& caches, const Change<api::Cluster>& change) {
  if (!change.after) return {};
  ObjectKey key = kube::key_of(*change.after);
  const bool is_new = !change.before;
  if (is_new || is_unpaused(change) || (gets_control_plane(change) && joins_machines(caches, key)))
    return {std::move(key)};
  return {};
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger<api::CloudConfig>(
      caches.cloud_configs, queue,
      [&caches](const Change<api::CloudConfig>& change) { return clusters_of(caches, change); });
  runtime::trigger<api::Cluster>(caches.clusters, queue, [&caches](const Change<api::Cluster>& change) {
    return cluster_itself(caches, change);
  });
}

}  // namespace capstan::bootstrap::access
