#include "bootstrap/controller/observe.h"

namespace capstan::bootstrap::controller {

std::optional<Observation> observe(const Caches& caches, const Clock& clock, const ObjectKey& key) {
  Observation seen{.now = Time::from(clock.now()), .object = caches.cloud_configs.get(key)};
  if (!seen.object) return std::nullopt;
  seen.machine = caches.owner_machine(seen.object->metadata);
  if (seen.machine)
    seen.cluster =
        caches.clusters.get({.namespace_ = key.namespace_, .name = seen.machine->spec.cluster_name.str()});
  return seen;
}

}  // namespace capstan::bootstrap::controller
