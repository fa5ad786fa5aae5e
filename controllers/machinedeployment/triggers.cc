#include "runtime/triggers.h"
#include "api/meta/label_selector.h"
#include "controllers/machinedeployment/machine_wakes.h"
#include "controllers/machinedeployment/reconciler.h"
#include "controllers/safety/freeze_wakes.h"
#include "controllers/safety/window_wakes.h"
#include "controllers/shared/policies.h"
#include "controllers/shared/reach.h"
#include "kube/typed.h"

namespace capstan::controllers::machinedeployment {
namespace {

using Keys = std::vector<kube::ObjectKey>;

// The MachineDeployments that may adopt the set.
Keys interested_in(const Caches& caches, const api::MachineSet& set) {
  Keys keys;
  const kube::ObjectKey cluster{.namespace_ = set.metadata.namespace_.str(),
                                .name = set.spec.cluster_name.str()};
  for (const auto& deployment : caches.machine_deployments_of(cluster)) {
    const auto selector = api::Selector::from(deployment->spec.selector);
    if (!selector || selector->matches_everything() || !selector->matches(set.metadata.labels)) continue;
    keys.push_back(kube::key_of(*deployment));
  }
  return keys;
}

Keys of_set(const Caches& caches, const runtime::Change<api::MachineSet>& change) {
  Keys keys = runtime::owners_of_kind(change, api::group::kCluster, api::kind::kMachineDeployment);
  if (!change.after || change.after->metadata.controller() != nullptr) return keys;
  for (auto& key : interested_in(caches, *change.after)) keys.push_back(std::move(key));
  return keys;
}

// What a deployment heeds of its Cluster: whether it is there, is paused, is going away.
bool matters(const runtime::Change<api::Cluster>& change) {
  if (!change.before || !change.after) return !change.initial;
  return change.before->spec.paused.value_or(false) != change.after->spec.paused.value_or(false) ||
         change.before->metadata.deleting() != change.after->metadata.deleting() ||
         safety::may_change_a_freeze(*change.before, *change.after) ||
         change.before->metadata.uid != change.after->metadata.uid;
}

Keys of_cluster(const Caches& caches, const runtime::Change<api::Cluster>& change) {
  Keys keys;
  if (!matters(change)) return keys;
  const kube::ObjectKey cluster = kube::key_of(change.object());
  for (const auto& deployment : caches.machine_deployments_of(cluster))
    keys.push_back(kube::key_of(*deployment));
  for (const auto& deployment : caches.misnamed_machine_deployments_of(cluster))
    keys.push_back(kube::key_of(*deployment));
  return keys;
}

// --- where a policy governs the life of its Machines ---

// Null: it has none, or none that is in the cache.
runtime::Snapshot<api::MachineDeployment> deployment_over(const Caches& caches,
                                                          const api::ObjectMeta& machine) {
  const auto* owner = machine.controller();
  if (owner == nullptr || owner->kind != api::kind::kMachineSet) return nullptr;
  const auto set =
      caches.machine_sets.get({.namespace_ = machine.namespace_.str(), .name = owner->name.str()});
  return set ? deployment_of(caches, *set) : nullptr;
}

Heeded heeds(const Caches& caches, const api::MachineDeployment& deployment) {
  return heeded_by(deployment, policy_for(caches, deployment).policy.get());
}

// So long its MachineSet may gather the events of its Machines before it reports.
constexpr Nanoseconds kLater = std::chrono::seconds(1);

void wake_for_machine(const Caches& caches, const runtime::Change<api::Machine>& change, Memory& memory,
                      runtime::Queue& queue) {
  const auto& metadata = change.object().metadata;
  if (change.initial || caches.policies_in(metadata.namespace_.view()).empty()) return;
  const auto deployment = deployment_over(caches, metadata);
  if (!deployment) return;
  const Wake wake = wake_of(change.before.get(), change.after.get(), heeds(caches, *deployment));
  if (wake == Wake::None) return;
  const kube::ObjectKey key = kube::key_of(*deployment);
  if (wake == Wake::Now) memory.look_at_nodes_again(key);
  queue.add_after(key, wake == Wake::Now ? Nanoseconds() : kLater);
}

Keys of_policy(const Caches& caches, const runtime::Change<api::MachineLifecyclePolicy>& change) {
  Keys keys;
  const bool same = change.before && change.after && change.before->spec == change.after->spec;
  if (change.initial || same) return keys;
  for (const auto& deployment : caches.machine_deployments_in(change.object().metadata.namespace_.view()))
    keys.push_back(kube::key_of(*deployment));
  return keys;
}

// Labels tell how far the update of a Machine in place is.
bool same_labels(const runtime::Change<api::Node>& change) {
  return change.before && change.after && change.before->metadata.labels == change.after->metadata.labels;
}

Keys of_node(const Caches& caches, const kube::ObjectKey& cluster, const runtime::Change<api::Node>& change) {
  Keys keys;
  if (change.initial || caches.policies_in(cluster.namespace_).empty() || same_labels(change)) return keys;
  const auto& id = change.object().spec.provider_id;
  if (id.empty()) return keys;
  for (const auto& machine : caches.machines_with_provider_id(cluster, id)) {
    const auto deployment = deployment_over(caches, machine->metadata);
    if (deployment && heeds_node_of(*machine, change.object(), heeds(caches, *deployment)))
      keys.push_back(kube::key_of(*deployment));
  }
  return keys;
}

Keys of_contact(const Caches& caches, const kube::ObjectKey& cluster) {
  Keys keys;
  if (caches.policies_in(cluster.namespace_).empty()) return keys;
  for (const auto& deployment : caches.machine_deployments_of(cluster))
    keys.push_back(kube::key_of(*deployment));
  return keys;
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger_self(caches.machine_deployments, queue);
  runtime::trigger<api::MachineSet>(caches.machine_sets, queue,
                                    [&caches](const auto& change) { return of_set(caches, change); });
  runtime::trigger<api::Cluster>(caches.clusters, queue,
                                 [&caches](const auto& change) { return of_cluster(caches, change); });
  caches.machines.subscribe(
      [this, &caches, &queue](const auto& change) { wake_for_machine(caches, change, memory_, queue); });
  runtime::trigger<api::MachineLifecyclePolicy>(
      caches.machine_lifecycle_policies, queue,
      [&caches](const auto& change) { return of_policy(caches, change); });
  runtime::trigger<api::Cluster>(caches.clusters, queue, [&caches](const auto& change) {
    const bool turned = change.before && change.after && !same_contact(*change.before, *change.after);
    return turned ? of_contact(caches, kube::key_of(*change.after)) : Keys();
  });
  runtime::trigger<api::FleetPolicy>(
      caches.fleet_policies, queue, [&caches](const runtime::Change<api::FleetPolicy>& change) {
        Keys keys;
        if (!safety::has_other_windows(change) && !safety::has_other_freeze(change)) return keys;
        for (const auto& deployment : caches.machine_deployments.all())
          keys.push_back(kube::key_of(*deployment));
        return keys;
      });
  deps_.workload_clusters.on_node_change(
      [this, &caches, &queue](const kube::ObjectKey& cluster, const runtime::Change<api::Node>& change) {
        for (const auto& key : of_node(caches, cluster, change)) {
          memory_.look_at_nodes_again(key);
          queue.add(key);
        }
      });
  deps_.workload_clusters.on_reach_change([&caches, &queue](const kube::ObjectKey& cluster) {
    for (const auto& key : of_contact(caches, cluster)) queue.add(key);
  });
}

}  // namespace capstan::controllers::machinedeployment
