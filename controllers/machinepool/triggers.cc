// What wakes the MachinePool controller: changes that no decision depends on wake no pool.
#include "runtime/triggers.h"

#include "api/conditions/conditions.h"
#include "controllers/claims/wakes.h"
#include "controllers/machinepool/conditions.h"
#include "controllers/machinepool/reconciler.h"
#include "controllers/safety/fleet_wakes.h"
#include "controllers/safety/freeze_wakes.h"
#include "controllers/safety/window_wakes.h"
#include "controllers/shared/lost_managers.h"
#include "controllers/shared/reach.h"

namespace capstan::controllers::machinepool {
namespace {

using kube::ObjectKey;
using runtime::Change;

template <typename T>
bool appeared_or_went(const Change<T>& change) {
  return !change.before || !change.after || change.before->metadata.uid != change.after->metadata.uid;
}

bool matters(const Change<api::Cluster>& change) {
  if (appeared_or_went(change)) return true;
  return change.before->spec.paused.value_or(false) != change.after->spec.paused.value_or(false) ||
         change.before->metadata.deleting() != change.after->metadata.deleting() ||
         safety::may_change_a_freeze(*change.before, *change.after) ||
         !same_contact(*change.before, *change.after);
}

// A heartbeat is none.
bool matters(const Change<api::Node>& change) {
  if (appeared_or_went(change)) return true;
  const auto& [before, after, initial] = change;
  return before->metadata.annotations != after->metadata.annotations ||
         before->metadata.deleting() != after->metadata.deleting() || before->spec != after->spec ||
         before->status.conditions != after->status.conditions ||
         before->status.node_info->kubelet_version != after->status.node_info->kubelet_version;
}

// What the pool counts, copies or has written itself.
bool matters(const Change<api::Machine>& change) {
  if (appeared_or_went(change)) return true;
  const auto& [before, after, initial] = change;
  return before->metadata.labels != after->metadata.labels ||
         before->metadata.annotations != after->metadata.annotations ||
         before->metadata.owner_references != after->metadata.owner_references ||
         before->metadata.deleting() != after->metadata.deleting() || before->spec != after->spec ||
         has_lost_managers(before->metadata.managed_fields) !=
             has_lost_managers(after->metadata.managed_fields) ||
         before->status.conditions != after->status.conditions ||
         before->status.node_info != after->status.node_info;
}

std::vector<ObjectKey> keys_of(const std::vector<Snapshot<api::MachinePool>>& pools) {
  std::vector<ObjectKey> keys;
  for (const auto& pool : pools) keys.push_back(runtime::key_of(*pool));
  return keys;
}

// Those whose spec.clusterName says so, and those that it owns whatever that says.
std::vector<ObjectKey> pools_of(const Caches& caches, const ObjectKey& cluster) {
  auto keys = keys_of(caches.machine_pools_of(cluster));
  for (ObjectKey& key : keys_of(caches.misnamed_machine_pools_of(cluster))) keys.push_back(std::move(key));
  return keys;
}

std::vector<ObjectKey> pools_of(const Caches& caches, const Change<api::Machine>& change) {
  if (!matters(change)) return {};
  auto keys = runtime::owners_of_kind(change, api::group::kCluster, api::kind::kMachinePool);
  const auto& metadata = change.object().metadata;
  const Text* label = metadata.labels.find(api::label::kPoolName);
  if (!keys.empty() || label == nullptr) return keys;
  ObjectKey named{.namespace_ = metadata.namespace_.str(), .name = label->str()};
  if (caches.machine_pools.get(named)) keys.push_back(std::move(named));
  return keys;
}

// Those that wait for an instance that another object has.
std::vector<ObjectKey> waiting_pools_of(const Caches& caches, const ObjectKey& cluster) {
  auto pools = caches.machine_pools_of(cluster);
  std::erase_if(pools, [](const auto& other) {
    const auto ready = api::conditions::find(other->status.conditions, api::condition::kInfrastructureReady);
    return ready == nullptr || ready->reason != kInvalidProviderIdList;
  });
  return keys_of(pools);
}

std::vector<ObjectKey> waiting_pools(const Caches& caches, const Change<api::MachinePool>& change) {
  if (!change.before) return {};
  if (change.after && change.before->spec.provider_id_list == change.after->spec.provider_id_list) return {};
  const auto& pool = *change.before;
  return waiting_pools_of(
      caches, {.namespace_ = pool.metadata.namespace_.str(), .name = pool.spec.cluster_name.str()});
}

std::vector<ObjectKey> waiting_pools(const Caches& caches, const Change<api::Machine>& change) {
  if (!change.before || change.before->spec.provider_id.empty()) return {};
  const bool keeps = change.after && change.before->spec.provider_id == change.after->spec.provider_id &&
                     change.before->status.node_ref == change.after->status.node_ref;
  if (keeps) return {};
  const auto& machine = *change.before;
  return waiting_pools_of(
      caches, {.namespace_ = machine.metadata.namespace_.str(), .name = machine.spec.cluster_name.str()});
}

std::vector<ObjectKey> pools_of(const Caches& caches, const ObjectKey& cluster,
                                const Change<api::Node>& change) {
  std::vector<ObjectKey> keys;
  if (!matters(change)) return keys;
  const auto add = [&](const std::vector<Snapshot<api::MachinePool>>& pools) {
    for (ObjectKey& key : keys_of(pools)) {
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
    }
  };
  add(caches.misnamed_machine_pools_of(cluster));
  for (const auto& node : {change.before, change.after}) {
    if (!node) continue;
    add(caches.machine_pools_on_node(cluster, node->metadata.name));
    if (!node->spec.provider_id.empty())
      add(caches.machine_pools_with_provider_id(cluster, node->spec.provider_id));
  }
  return keys;
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  memory_.drainer.wake_through(queue);
  runtime::trigger_self(caches.machine_pools, queue);
  runtime::trigger<api::MachinePool>(
      caches.machine_pools, queue,
      [&caches](const Change<api::MachinePool>& change) { return waiting_pools(caches, change); });
  runtime::trigger<api::MachinePool>(
      caches.machine_pools, queue,
      [&caches](const Change<api::MachinePool>& change) { return claims::woken_by(caches, change).pools; });
  runtime::trigger<api::Machine>(caches.machines, queue, [&caches](const Change<api::Machine>& change) {
    return claims::woken_by(caches, change).pools;
  });
  runtime::trigger<api::Machine>(caches.machines, queue, [&caches](const Change<api::Machine>& change) {
    return waiting_pools(caches, change);
  });
  runtime::trigger<api::MachineLifecyclePolicy>(
      caches.machine_lifecycle_policies, queue, [&caches](const Change<api::MachineLifecyclePolicy>& change) {
        if (change.initial) return std::vector<ObjectKey>();
        const bool same = change.before && change.after && change.before->spec == change.after->spec;
        return same ? std::vector<ObjectKey>()
                    : keys_of(caches.machine_pools_in(change.object().metadata.namespace_));
      });
  runtime::trigger<api::FleetPolicy>(
      caches.fleet_policies, queue, [&caches](const Change<api::FleetPolicy>& change) {
        if (safety::has_other_windows(change) || safety::has_other_freeze(change))
          return keys_of(caches.machine_pools.all());
        return safety::owners_to_wake(caches, change, api::kind::kMachinePool);
      });
  runtime::trigger<api::MachineDrainRule>(
      caches.machine_drain_rules, queue, [this](const Change<api::MachineDrainRule>& change) {
        if (change.initial) return std::vector<ObjectKey>();
        return memory_.drainer.look_again_in(change.object().metadata.namespace_.view());
      });
  runtime::trigger<api::Cluster>(caches.clusters, queue, [&caches](const Change<api::Cluster>& change) {
    if (change.initial || !matters(change)) return std::vector<ObjectKey>();
    return pools_of(caches, runtime::key_of(change.object()));
  });
  runtime::trigger<api::Machine>(caches.machines, queue, [&caches](const Change<api::Machine>& change) {
    return change.initial ? std::vector<ObjectKey>() : pools_of(caches, change);
  });
  deps_.workload_clusters.on_node_change(
      [&caches, &queue](const ObjectKey& cluster, const Change<api::Node>& change) {
        for (const ObjectKey& key : pools_of(caches, cluster, change))
          queue.add(key, change.initial ? runtime::Priority::Low : runtime::Priority::Normal);
      });
  deps_.workload_clusters.on_reach_change([&caches, &queue](const ObjectKey& cluster) {
    for (const ObjectKey& key : pools_of(caches, cluster)) queue.add(key);
  });
}

}  // namespace capstan::controllers::machinepool
