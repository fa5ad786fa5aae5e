// What wakes a DriverCluster: its own changes, those of the Cluster that refers to it, and orphans found.
#include "runtime/triggers.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "api/policy/fleet_request.h"
#include "infrastructure/controller/cluster/reconciler.h"

namespace capstan::infrastructure::cluster {
namespace {

// For the deletion of an orphan.
bool has_grant(const api::Cluster& cluster) { return api::policy::has_fleet_grant(cluster.metadata); }

std::vector<ObjectKey> object_of(const runtime::Change<api::Cluster>& change) {
  const auto& cluster = change.object();
  const auto key = driver_cluster_key(cluster);
  if (!key) return {};
  const bool same = change.before && change.after && change.before->spec == change.after->spec &&
                    change.before->metadata.deleting() == change.after->metadata.deleting() &&
                    has_grant(*change.before) == has_grant(*change.after);
  if (same) return {};
  return {*key};
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  runtime::trigger_self(deps_.caches.driver_clusters, queue);
  deps_.orphans.on_news([&queue](const ObjectKey& key) { queue.add(key); });
  runtime::trigger<api::Cluster>(deps_.caches.clusters, queue, object_of);
}

}  // namespace capstan::infrastructure::cluster
