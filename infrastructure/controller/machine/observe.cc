#include "infrastructure/controller/machine/observe.h"

#include "api/names.h"

namespace capstan::infrastructure::machine {

std::optional<Observation> observe(const Caches& caches, const Clock& clock, const ObjectKey& key) {
  Observation seen{.now = Time::from(clock.now()), .object = caches.driver_machines.get(key)};
  if (!seen.object) return std::nullopt;
  seen.machine = caches.owner_machine(seen.object->metadata);
  if (seen.machine) {
    const auto* controller = seen.machine->metadata.controller();
    seen.in_pool = controller != nullptr && controller->kind == api::kind::kMachinePool &&
                   controller->group() == api::group::kCluster;
    if (seen.in_pool) seen.pool = caches.owner_machine_pool(seen.machine->metadata);
  }
  const std::string_view named = seen.machine ? seen.machine->spec.cluster_name.view() : std::string_view();
  seen.cluster = caches.clusters.get(cluster_key(seen.object->metadata, named));
  return seen;
}

std::string_view data_secret_of(const Observation& seen) {
  if (seen.in_pool && !seen.pool) return {};
  const auto& bootstrap =
      seen.in_pool ? seen.pool->spec.machine_template.spec.bootstrap : seen.machine->spec.bootstrap;
  return bootstrap.data_secret_name ? bootstrap.data_secret_name->view() : std::string_view();
}

std::string_view version_for(const Observation& seen) {
  return seen.pool ? seen.pool->spec.machine_template.spec.version.view() : seen.machine->spec.version.view();
}

}  // namespace capstan::infrastructure::machine
