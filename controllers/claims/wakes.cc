#include "controllers/claims/wakes.h"

#include <algorithm>
#include <type_traits>

#include "api/conditions/conditions.h"
#include "controllers/claims/claims.h"

namespace capstan::controllers::claims {
namespace {

using runtime::Change;

ObjectKey cluster_of(const auto& object) {
  return {.namespace_ = object.metadata.namespace_.str(), .name = object.spec.cluster_name.str()};
}

// The fate of its infrastructure object shows in the condition.
bool same_infrastructure(const api::Machine& before, const api::Machine& after) {
  const auto status = [](const api::Machine& machine) {
    const auto found = api::conditions::find(machine.status.conditions, api::condition::kInfrastructureReady);
    return found == nullptr ? Text() : found->reason;
  };
  return status(before) == status(after);
}

bool concerns_others(const Change<api::Machine>& change) {
  const auto& [before, after, initial] = change;
  if (initial) return false;
  if (!before || !after) return true;
  return before->metadata.uid != after->metadata.uid ||
         before->metadata.deleting() != after->metadata.deleting() ||
         before->metadata.owner_references != after->metadata.owner_references ||
         before->spec.provider_id != after->spec.provider_id ||
         before->status.node_ref != after->status.node_ref || !same_infrastructure(*before, *after);
}

template <typename T>
void add_others(std::vector<ObjectKey>& keys, const std::vector<Snapshot<T>>& found, auto&& is_own) {
  for (const auto& each : found) {
    if (is_own(*each)) continue;
    ObjectKey key = runtime::key_of(*each);
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
  }
}

// Its own pool is none.
void add_claimants_like(const Caches& caches, const api::Machine& machine, Woken& woken) {
  const ObjectKey cluster = cluster_of(machine);
  const auto* controller = machine.metadata.controller();
  const auto is_own = [&](const auto& other) {
    return other.metadata.uid == machine.metadata.uid ||
           (controller != nullptr && controller->uid == other.metadata.uid);
  };
  const Text& id = machine.spec.provider_id;
  if (!id.empty()) {
    add_others(woken.machines, caches.machines_with_provider_id(cluster, id), is_own);
    add_others(woken.pools, caches.machine_pools_with_provider_id(cluster, id), is_own);
  }
  if (const auto& node = machine.status.node_ref) {
    add_others(woken.machines, caches.machines_on_node(cluster, node->name), is_own);
    add_others(woken.pools, caches.machine_pools_on_node(cluster, node->name), is_own);
  }
}

using Names = std::vector<Text>;

// What stands in one of two lists only.
Names changed(Names before, Names after) {
  std::ranges::sort(before);
  std::ranges::sort(after);
  Names in_one;
  std::ranges::set_symmetric_difference(before, after, std::back_inserter(in_one));
  return in_one;
}

Names ids_of(const Snapshot<api::MachinePool>& pool) {
  if (!pool) return {};
  return {pool->spec.provider_id_list.begin(), pool->spec.provider_id_list.end()};
}

Names nodes_of(const Snapshot<api::MachinePool>& pool) {
  Names names;
  if (!pool) return names;
  for (const auto& ref : pool->status.node_refs) names.push_back(ref.name);
  return names;
}

}  // namespace

Woken woken_by(const Caches& caches, const Change<api::Machine>& change) {
  Woken woken;
  if (!concerns_others(change)) return woken;
  if (change.before) add_claimants_like(caches, *change.before, woken);
  if (change.after) add_claimants_like(caches, *change.after, woken);
  return woken;
}

// Of instances that come and go; its own Machines are no others.
Woken woken_by(const Caches& caches, const Change<api::MachinePool>& change) {
  Woken woken;
  const auto& [before, after, initial] = change;
  if (initial) return woken;
  const bool same = before && after && before->spec.provider_id_list == after->spec.provider_id_list &&
                    before->status.node_refs == after->status.node_refs;
  if (same) return woken;
  const api::MachinePool& pool = change.object();
  const ObjectKey cluster = cluster_of(pool);
  const auto is_own = [&](const auto& other) {
    if constexpr (std::is_same_v<std::decay_t<decltype(other)>, api::Machine>) {
      const auto* controller = other.metadata.controller();
      return controller != nullptr && controller->uid == pool.metadata.uid;
    } else {
      return other.metadata.uid == pool.metadata.uid;
    }
  };
  for (const Text& id : changed(ids_of(before), ids_of(after))) {
    add_others(woken.machines, caches.machines_with_provider_id(cluster, id), is_own);
    add_others(woken.pools, caches.machine_pools_with_provider_id(cluster, id), is_own);
  }
  for (const Text& node : changed(nodes_of(before), nodes_of(after))) {
    add_others(woken.machines, caches.machines_on_node(cluster, node), is_own);
    add_others(woken.pools, caches.machine_pools_on_node(cluster, node), is_own);
  }
  return woken;
}

}  // namespace capstan::controllers::claims
