// What wakes a Cluster: its first CloudConfig that joins machines, each further one, the end of each, and its
// control plane when that comes up. A Cluster that joins no machines is never looked at.
#include "runtime/triggers.h"
#include "bootstrap/access/observe.h"
#include "bootstrap/access/reconciler.h"
#include "kube/typed.h"

namespace capstan::bootstrap::access {
namespace {

using runtime::Change;

bool joins(const runtime::Snapshot<api::CloudConfig>& config) {
  return config && config->spec.join.has_value() && !config->metadata.deleting();
}

std::vector<ObjectKey> cluster_of(const Change<api::CloudConfig>& change) {
  const std::string name = Caches::cluster_label_of(change.object());
  if (name.empty() || joins(change.before) == joins(change.after)) return {};
  return {{.namespace_ = change.object().metadata.namespace_.str(), .name = name}};
}

std::vector<ObjectKey> cluster_itself(const Caches& caches, const Change<api::Cluster>& change) {
  if (!change.after) return {};
  const bool same = change.before && change.before->spec.paused == change.after->spec.paused &&
                    change.before->status.initialization == change.after->status.initialization;
  ObjectKey key = kube::key_of(*change.after);
  if (same || !joins_machines(caches, key)) return {};
  return {std::move(key)};
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger<api::CloudConfig>(caches.cloud_configs, queue, cluster_of);
  runtime::trigger<api::Cluster>(caches.clusters, queue, [&caches](const Change<api::Cluster>& change) {
    return cluster_itself(caches, change);
  });
}

}  // namespace capstan::bootstrap::access
