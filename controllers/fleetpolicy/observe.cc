#include "controllers/fleetpolicy/observe.h"

#include "api/policy/fleet_policy_rules.h"
#include "api/policy/fleet_request.h"
#include "controllers/fleetpolicy/orphan_grants.h"
#include "controllers/safety/fleet_freeze.h"
#include "controllers/safety/read_windows.h"

namespace capstan::controllers::fleetpolicy {
namespace {

std::vector<ClusterSnapshot> clusters_that_ask(const Caches& caches);
void see_grants(const Caches& caches, Observation& seen);
void see_workers(const Caches& caches, Observation& seen);

}  // namespace

std::optional<Observation> observe(const ObserveContext& with, const kube::ObjectKey& key) {
  const Caches& caches = with.deps.caches;
  auto policy = caches.fleet_policies.get(key);
  if (!policy || policy->metadata.deleting()) return std::nullopt;
  Observation seen{.now = Time::from(with.deps.clock.now()), .policy = std::move(policy)};
  seen.applied = api::is_the_fleet_policy(*seen.policy);
  if (!seen.applied) return seen;
  seen.frozen = safety::fleet_freeze(*seen.policy);
  seen.windows = safety::read_windows(seen.policy->spec.windows, {});
  seen.machines = caches.machines_with_fleet_request();
  seen.clusters = clusters_that_ask(caches);
  see_grants(caches, seen);
  see_workers(caches, seen);
  return seen;
}

namespace {

// Looks at all of them: they are few.
std::vector<ClusterSnapshot> clusters_that_ask(const Caches& caches) {
  auto clusters = caches.clusters.all();
  std::erase_if(clusters,
                [](const auto& cluster) { return !api::policy::concerns_fleet(cluster->metadata); });
  return clusters;
}

// Null: it is gone, or another one has its name.
template <typename T>
runtime::Snapshot<T> granted_one(const runtime::Store<T>& cache, const api::FleetGrant& grant) {
  auto object = cache.get({.namespace_ = grant.namespace_.str(), .name = grant.name.str()});
  return object && object->metadata.uid == grant.uid ? object : nullptr;
}

void see_grants(const Caches& caches, Observation& seen) {
  for (const api::FleetGrant& grant : seen.policy->status.grants) {
    if (is_for_orphan(grant))
      seen.grants.push_back({.grant = grant, .cluster = granted_one(caches.clusters, grant)});
    else
      seen.grants.push_back({.grant = grant, .machine = granted_one(caches.machines, grant)});
  }
}

void see_workers(const Caches& caches, Observation& seen) {
  seen.workers.fleet = caches.workers();
  const auto see = [&](const kube::ObjectKey& cluster) {
    const auto [found, is_new] = seen.workers.by_cluster.try_emplace(cluster);
    if (is_new) found->second = caches.workers_of(cluster);
  };
  for (const auto& machine : seen.machines)
    see({.namespace_ = machine->metadata.namespace_.str(), .name = machine->spec.cluster_name.str()});
  for (const auto& cluster : seen.clusters) see(kube::key_of(*cluster));
}

}  // namespace
}  // namespace capstan::controllers::fleetpolicy
