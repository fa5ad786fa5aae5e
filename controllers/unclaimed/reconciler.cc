#include "controllers/unclaimed/reconciler.h"

#include "base/try.h"
#include "controllers/shared/pause.h"
#include "controllers/unclaimed/act.h"
#include "controllers/unclaimed/observe.h"
#include "runtime/paused.h"

namespace capstan::controllers::unclaimed {
namespace {

using runtime::Change;
using runtime::Outcome;

// Nodes and Machines come in crowds, and nothing hangs on the mark.
constexpr Nanoseconds kGathered = std::chrono::seconds(10);
constexpr std::size_t kNodesPerTurn = 100;

template <typename T>
void wake_cluster_of(const T& object, runtime::Queue& queue) {
  queue.add_after({.namespace_ = object.metadata.namespace_.str(), .name = object.spec.cluster_name.str()},
                  kGathered);
}

// What it claims, or which policy governs it, may be another by now.
template <typename T>
void wake_on_changes(runtime::Store<T>& store, runtime::Queue& queue) {
  store.subscribe([&queue](const Change<T>& change) {
    const bool same = change.before && change.after && change.before->spec == change.after->spec &&
                      change.before->metadata.labels == change.after->metadata.labels;
    if (!same) wake_cluster_of(change.object(), queue);
  });
}

bool changes_claims(const Change<api::Node>& change) {
  return !change.before || !change.after ||
         change.before->spec.provider_id != change.after->spec.provider_id ||
         change.before->metadata.annotations != change.after->metadata.annotations;
}

}  // namespace

Result<Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  auto cluster = deps_.caches.clusters.get(key);
  if (!cluster || cluster->metadata.deleting() || !in_scope(cluster->metadata, deps_.watch_filter))
    return Outcome::done();
  if (pause_of(cluster.get(), cluster->metadata, api::kind::kCluster).paused) return Outcome::done();
  const auto workload = deps_.workload_clusters.get(key);
  if (!workload) return Outcome::done();  // its coming back wakes this
  const ObserveContext with{.deps = deps_, .host = *host_, .context = context};
  return take_turn(context, observe(with, std::move(cluster), **workload, patience_), **workload);
}

Result<Outcome> Reconciler::take_turn(const runtime::Context& context, const Observation& seen,
                                      kubeconfig::WorkloadCluster& workload) {
  Plan plan = decide(seen);
  const bool unfinished = plan.marks.size() > kNodesPerTurn;
  if (unfinished) plan.marks.resize(kNodesPerTurn);
  TRY(act({.deps = deps_, .host = *host_, .contests = contests_, .context = context}, seen, plan, workload));
  return unfinished ? Outcome::after(kGathered) : Outcome::after(plan.recheck);
}

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  wake_on_changes(caches.machines, queue);
  wake_on_changes(caches.machine_sets, queue);
  wake_on_changes(caches.machine_deployments, queue);
  wake_on_changes(caches.machine_pools, queue);
  caches.machine_lifecycle_policies.subscribe(
      [&caches, &queue](const Change<api::MachineLifecyclePolicy>& change) {
        if (change.before && change.after && change.before->spec == change.after->spec) return;
        const std::string_view where = change.object().metadata.namespace_;
        for (const auto& set : caches.machine_sets_in(where)) wake_cluster_of(*set, queue);
        for (const auto& pool : caches.machine_pools_in(where)) wake_cluster_of(*pool, queue);
      });
  deps_.workload_clusters.on_node_change(
      [&queue](const kube::ObjectKey& cluster, const Change<api::Node>& change) {
        if (changes_claims(change)) queue.add_after(cluster, kGathered);
      });
  deps_.workload_clusters.on_reach_change(
      [&queue](const kube::ObjectKey& cluster) { queue.add_after(cluster, kGathered); });
}

}  // namespace capstan::controllers::unclaimed
