// What wakes a Cluster: its first CloudConfig that joins machines, each further one, the end of each, and its
// control plane when that comes up. A Cluster that joins no machines is looked at only when it is unpaused:
// its last CloudConfig may have gone while it was paused.
#include "runtime/triggers.h"
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

std::vector<ObjectKey> clusters_of(const Change<api::CloudConfig>& change) {
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

bool may_join_now(const Change<api::Cluster>& change) {
  return !change.before || change.before->status.initialization != change.after->status.initialization;
}

std::vector<ObjectKey> cluster_itself(const Caches& caches, const Change<api::Cluster>& change) {
  if (!change.after) return {};
  ObjectKey key = kube::key_of(*change.after);
  if (is_unpaused(change) || (may_join_now(change) && joins_machines(caches, key))) return {std::move(key)};
  return {};
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger<api::CloudConfig>(caches.cloud_configs, queue, clusters_of);
  runtime::trigger<api::Cluster>(caches.clusters, queue, [&caches](const Change<api::Cluster>& change) {
    return cluster_itself(caches, change);
  });
}

}  // namespace capstan::bootstrap::access
