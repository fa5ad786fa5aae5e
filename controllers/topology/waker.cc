#include "controllers/topology/waker.h"

#include <algorithm>

#include "api/names.h"
#include "controllers/shared/turn_steps.h"
#include "kube/typed.h"

namespace capstan::controllers::topology {
namespace {

// Changes within this time are written to the Cluster as one. It also gives upstream's caches of Machines,
// which its topology controller reads when it is woken, the time to show what made us wake it.
constexpr auto kGathered = std::chrono::seconds(2);

// A deletion upstream looks at by itself, every five seconds.
bool is_to_be_woken(const api::Cluster& cluster, std::string_view watch_filter) {
  return !watch_filter.empty() && !in_scope(cluster.metadata, watch_filter) &&
         !cluster.spec.topology.empty() && !cluster.metadata.deleting();
}

template <typename T>
void wake_by(runtime::Store<T>& store, const std::string& filter, runtime::Queue& queue) {
  store.subscribe([&queue, filter](const runtime::Change<T>& change) {
    const T& object = change.object();
    if (change.initial || !object.metadata.labels.contains(api::label::kTopologyOwned)) return;
    const bool ours =
        in_scope(object.metadata, filter) || (change.before && in_scope(change.before->metadata, filter));
    if (ours) queue.add_after({object.metadata.namespace_.str(), object.spec.cluster_name.str()}, kGathered);
  });
}

}  // namespace

Result<runtime::Outcome> Waker::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  const auto cluster = deps_.caches.clusters.get(key);
  if (!cluster || !is_to_be_woken(*cluster, deps_.watch_filter)) return runtime::Outcome::done();
  const auto next = next_digest(*cluster, workers_of(key));
  if (!next) return runtime::Outcome::done();
  api::Cluster after = *cluster;
  after.metadata.annotations.set(kWorkers, *next);
  const auto patched = kube::patch_briefly(deps_.client, *cluster, after, context.deadline);
  if (!patched && patched.error().code == Code::NotFound) return runtime::Outcome::done();
  if (!patched) return fail(patched.error());
  if (*patched) host_->consistency.wrote(key, deps_.caches.clusters, (*patched)->metadata.resource_version);
  return runtime::Outcome::done();
}

Workers Waker::workers_of(const kube::ObjectKey& cluster) const {
  Workers workers{.deployments = deps_.caches.machine_deployments_of(cluster),
                  .pools = deps_.caches.machine_pools_of(cluster)};
  const auto others = [this](const auto& object) { return !in_scope(object->metadata, deps_.watch_filter); };
  std::erase_if(workers.deployments, others);
  std::erase_if(workers.pools, others);
  return workers;
}

void Waker::add_triggers(runtime::Queue& queue) {
  if (deps_.watch_filter.empty()) return;  // every Cluster is ours
  Caches& caches = deps_.caches;
  caches.clusters.subscribe([&queue](const runtime::Change<api::Cluster>& change) {
    if (!change.before) queue.add_after(runtime::key_of(*change.after), kGathered);
  });
  wake_by(caches.machine_deployments, deps_.watch_filter, queue);
  wake_by(caches.machine_pools, deps_.watch_filter, queue);
}

}  // namespace capstan::controllers::topology
