#include "bootstrap/controller/observe.h"

namespace capstan::bootstrap::controller {

std::optional<Observation> observe(const Caches& caches, const Clock& clock, const ObjectKey& key) {
  Observation seen{.now = Time::from(clock.now()), .object = caches.cloud_configs.get(key)};
  if (!seen.object) return std::nullopt;
  seen.owner = caches.owner_of(seen.object->metadata);
  if (seen.owner)
    seen.cluster = caches.clusters.get({.namespace_ = key.namespace_, .name = seen.owner->cluster});
  return seen;
}

}  // namespace capstan::bootstrap::controller
