#include "infrastructure/controller/machine/observe.h"

namespace capstan::infrastructure::machine {

std::optional<Observation> observe(const Caches& caches, const Clock& clock, const ObjectKey& key) {
  Observation seen{.now = Time::from(clock.now()), .object = caches.driver_machines.get(key)};
  if (!seen.object) return std::nullopt;
  seen.machine = caches.owner_machine(seen.object->metadata);
  const std::string_view named = seen.machine ? seen.machine->spec.cluster_name.view() : std::string_view();
  seen.cluster = caches.clusters.get(cluster_key(seen.object->metadata, named));
  return seen;
}

}  // namespace capstan::infrastructure::machine
