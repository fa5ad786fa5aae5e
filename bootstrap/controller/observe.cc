#include "bootstrap/controller/observe.h"

namespace capstan::bootstrap::controller {

std::optional<Observation> observe(const ObserveContext& with, const ObjectKey& key) {
  const Caches& caches = with.deps.caches;
  Observation seen{.now = Time::from(with.deps.clock.now()),
                   .fresh = with.context.fresh,
                   .object = caches.cloud_configs.get(key)};
  if (!seen.object) return std::nullopt;
  seen.owner = caches.owner_of(seen.object->metadata);
  if (seen.owner)
    seen.cluster = caches.clusters.get({.namespace_ = key.namespace_, .name = seen.owner->cluster});
  return seen;
}

}  // namespace capstan::bootstrap::controller
