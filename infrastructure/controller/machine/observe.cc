#include "infrastructure/controller/machine/observe.h"

#include "api/names.h"

namespace capstan::infrastructure::machine {
namespace {

void find_machine(const Caches& caches, Observation& seen) {
  seen.machine = caches.owner_machine(seen.object->metadata);
  if (!seen.machine) return;
  const auto* controller = seen.machine->metadata.controller();
  seen.in_pool = controller != nullptr && controller->kind == api::kind::kMachinePool &&
                 controller->group() == api::group::kCluster;
  if (seen.in_pool) seen.pool = caches.owner_machine_pool(seen.machine->metadata);
}

}  // namespace

std::optional<Observation> observe(const ObserveContext& with, const ObjectKey& key) {
  const Caches& caches = with.deps.caches;
  Observation seen{.now = Time::from(with.deps.clock.now()),
                   .fresh = with.context.fresh,
                   .doubted = with.deps.inventory.doubts(key),
                   .object = caches.driver_machines.get(key)};
  if (!seen.object) return std::nullopt;
  const api::ObjectMeta& metadata = seen.object->metadata;
  seen.claimed_twice = metadata.deleting() && caches.is_vm_claimed_twice(*seen.object);
  find_machine(caches, seen);
  const std::string_view named = seen.machine ? seen.machine->spec.cluster_name.view() : std::string_view();
  seen.cluster = caches.clusters.get(cluster_key(metadata, named));
  if (seen.cluster) seen.driver_cluster = caches.driver_cluster_of(*seen.cluster);
  return seen;
}

}  // namespace capstan::infrastructure::machine
