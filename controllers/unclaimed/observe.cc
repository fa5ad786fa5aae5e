#include "controllers/unclaimed/observe.h"

#include <algorithm>

#include "api/names.h"
#include "controllers/shared/caches.h"
#include "controllers/shared/policies.h"
#include "kube/typed.h"

namespace capstan::controllers::unclaimed {
namespace {

bool is_governed(const Caches& caches, const kube::ObjectKey& cluster) {
  const auto policies = caches.policies_in(cluster.namespace_);
  if (policies.empty()) return false;
  const auto sets = caches.machine_sets_of(cluster);
  const auto pools = caches.machine_pools_of(cluster);
  return std::ranges::any_of(sets,
                             [&](const auto& set) { return policy_for(caches, *set).policy != nullptr; }) ||
         std::ranges::any_of(
             pools, [&](const auto& pool) { return policy_for(pool->metadata, policies).policy != nullptr; });
}

bool is_claimed(const Caches& caches, const kube::ObjectKey& cluster, std::string_view provider_id) {
  if (provider_id.empty()) return false;
  return !caches.machines_with_provider_id(cluster, provider_id).empty() ||
         !caches.machine_pools_with_provider_id(cluster, provider_id).empty();
}

// What a Node that is not claimed has from one that was there before it, or only seems to have.
std::string namesake_of(const Caches& caches, const kube::ObjectKey& cluster, const api::Node& node) {
  const auto machines = caches.machines_on_node(cluster, node.metadata.name);
  if (!machines.empty()) return "Machine " + machines.front()->metadata.name.str();
  const auto machine =
      caches.machines.get({.namespace_ = cluster.namespace_, .name = node.metadata.name.str()});
  const bool of_the_cluster = machine && machine->spec.cluster_name == std::string_view(cluster.name);
  return of_the_cluster ? "Machine " + machine->metadata.name.str() : std::string();
}

}  // namespace

Observation observe(const ObserveContext& with, runtime::Snapshot<api::Cluster> cluster,
                    const kubeconfig::WorkloadCluster& workload, Seconds patience) {
  const Caches& caches = with.deps.caches;
  const auto key = kube::key_of(*cluster);
  Observation seen{.now = Time::from(with.deps.clock.now()),
                   .patience = patience,
                   .cluster = std::move(cluster),
                   .governed = is_governed(caches, key)};
  for (auto& node : workload.nodes().all()) {
    NodeSeen each{.node = std::move(node)};
    each.claimed = is_claimed(caches, key, each.node->spec.provider_id);
    if (!each.claimed) each.namesake = namesake_of(caches, key, *each.node);
    seen.nodes.push_back(std::move(each));
  }
  return seen;
}

}  // namespace capstan::controllers::unclaimed
