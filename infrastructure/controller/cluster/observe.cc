#include "infrastructure/controller/cluster/observe.h"

namespace capstan::infrastructure::cluster {

std::optional<Observation> observe(const ObserveContext& with, const Memory& memory, const ObjectKey& key) {
  const Caches& caches = with.deps.caches;
  Observation seen{.now = Time::from(with.deps.clock.now()),
                   .fresh = with.context.fresh,
                   .makes_control_planes = memory.makes_control_planes,
                   .ensured = memory.ensured.with([&](const auto& keys) { return keys.contains(key); }),
                   .object = caches.driver_clusters.get(key)};
  if (!seen.object) return std::nullopt;
  seen.cluster = caches.owner_cluster(seen.object->metadata);
  seen.cluster_key = caches.cluster_key_of(*seen.object);
  seen.machines_left = caches.count_driver_machines_of(seen.cluster_key);
  seen.pools_left = caches.driver_machine_pools_of(seen.cluster_key).size();
  seen.orphans = with.deps.orphans.found(key);
  seen.orphan_settings = with.deps.orphans.settings();
  return seen;
}

}  // namespace capstan::infrastructure::cluster
