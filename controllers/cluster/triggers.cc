// Who wakes a Cluster's key, and how soon: what only moves counters and messages is gathered.
#include "runtime/triggers.h"
#include "api/conditions/conditions.h"
#include "controllers/cluster/observation.h"
#include "controllers/cluster/reconciler.h"
#include "controllers/safety/freeze_wakes.h"
#include "controllers/shared/belonging.h"

namespace capstan::controllers::cluster {
namespace {

using runtime::Change;

constexpr auto kGathered = std::chrono::seconds(5);

enum class Urgency { None, Gathered, Now };

template <typename T>
bool appeared_or_left(const Change<T>& change) {
  return !change.before || !change.after ||
         change.before->metadata.deleting() != change.after->metadata.deleting();
}

template <typename T>
bool differs(const Change<T>& change, std::string_view type) {
  const auto before = api::conditions::find(change.before->status.conditions, type);
  const auto after = api::conditions::find(change.after->status.conditions, type);
  if (before == nullptr || after == nullptr) return (before == nullptr) != (after == nullptr);
  return before->status != after->status;
}

// While a Cluster goes, whatever leaves may be the last it waits for.
template <typename T>
Urgency urgency_of_leaving(const Change<T>& change, const api::Cluster& cluster) {
  return cluster.metadata.deleting() && appeared_or_left(change) ? Urgency::Now : Urgency::Gathered;
}

Urgency urgency(const Change<api::Machine>& change, const api::Cluster& cluster) {
  if (appeared_or_left(change)) return urgency_of_leaving(change, cluster);
  const auto& before = *change.before;
  const auto& after = *change.after;
  const bool first_node = !before.status.node_ref && after.status.node_ref && is_control_plane(after);
  if (first_node &&
      !api::conditions::is_true(cluster.status.conditions, api::condition::kControlPlaneInitialized))
    return Urgency::Now;
  const bool told = before.status.conditions != after.status.conditions ||
                    before.metadata.labels != after.metadata.labels ||
                    before.metadata.owner_references != after.metadata.owner_references ||
                    before.spec.version != after.spec.version;
  return told ? Urgency::Gathered : Urgency::None;
}

template <typename T>
Urgency urgency_of_group(const Change<T>& change, const api::Cluster& cluster) {
  if (appeared_or_left(change)) return urgency_of_leaving(change, cluster);
  if (change.before->metadata.owner_references != change.after->metadata.owner_references)
    return Urgency::Now;  // only owned ones are deleted and counted
  if (differs(change, api::condition::kAvailable) || differs(change, api::condition::kRollingOut))
    return Urgency::Now;
  return Urgency::Gathered;
}

Urgency urgency(const Change<api::MachineDeployment>& change, const api::Cluster& cluster) {
  return urgency_of_group(change, cluster);
}
Urgency urgency(const Change<api::MachinePool>& change, const api::Cluster& cluster) {
  return urgency_of_group(change, cluster);
}
// Those of a deployment are summed up by it.
Urgency urgency(const Change<api::MachineSet>& change, const api::Cluster& cluster) {
  if (cluster.metadata.deleting() || is_owned(change.object().metadata, cluster))
    return urgency_of_group(change, cluster);
  return Urgency::None;
}

template <typename T>
void wake_by(runtime::Store<T>& store, const Caches& caches, runtime::Queue& queue) {
  store.subscribe([&caches, &queue](const Change<T>& change) {
    if (change.initial) return;  // the Cluster's own first list wakes it
    const T& object = change.object();
    const auto wake = [&](std::string_view name) {
      const auto cluster = caches.cluster_of(object.metadata.namespace_, name);
      if (!cluster) return;
      switch (urgency(change, *cluster)) {
        case Urgency::None: return;
        case Urgency::Gathered: return queue.add_after(runtime::key_of(*cluster), kGathered);
        case Urgency::Now: return queue.add(runtime::key_of(*cluster));
      }
    };
    wake(object.spec.cluster_name);
    for (const auto* owner : owning_clusters(object.metadata.owner_references)) {
      if (owner->name != object.spec.cluster_name) wake(owner->name);
    }
  });
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger_self(caches.clusters, queue);
  wake_by(caches.machines, caches, queue);
  wake_by(caches.machine_sets, caches, queue);
  wake_by(caches.machine_deployments, caches, queue);
  wake_by(caches.machine_pools, caches, queue);
  caches.fleet_policies.subscribe([&caches, &queue](const Change<api::FleetPolicy>& change) {
    if (!safety::has_other_freeze(change)) return;
    for (const auto& cluster : caches.clusters.all()) queue.add(runtime::key_of(*cluster));
  });
  deps_.workload_clusters.on_reach_change([&queue](const kube::ObjectKey& cluster) { queue.add(cluster); });
}

}  // namespace capstan::controllers::cluster
