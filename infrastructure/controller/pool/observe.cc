#include "infrastructure/controller/pool/observe.h"

#include <algorithm>

namespace capstan::infrastructure::pool {

std::optional<Observation> observe(const ObserveContext& with, const ObjectKey& key) {
  const Caches& caches = with.deps.caches;
  Observation seen{.now = Time::from(with.deps.clock.now()),
                   .fresh = with.context.fresh,
                   .object = caches.driver_machine_pools.get(key)};
  if (!seen.object) return std::nullopt;
  seen.owner = caches.owner_machine_pool(seen.object->metadata);
  const std::string_view named = seen.owner ? seen.owner->spec.cluster_name.view() : std::string_view();
  seen.cluster = caches.clusters.get(cluster_key(seen.object->metadata, named));
  if (seen.cluster) seen.driver_cluster = caches.driver_cluster_of(*seen.cluster);
  if (!seen.with_machines()) return seen;
  for (auto& object : caches.members_of(*seen.object)) {
    auto machine = caches.owner_machine(object->metadata);
    seen.members.push_back({.object = std::move(object), .machine = std::move(machine)});
  }
  std::ranges::sort(seen.members, {}, [](const Member& each) { return each.object->metadata.name; });
  return seen;
}

}  // namespace capstan::infrastructure::pool
