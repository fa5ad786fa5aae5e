#include "controllers/safety/governed.h"

#include "api/names.h"
#include "controllers/shared/belonging.h"

namespace capstan::controllers::safety {
namespace {

PolicyChoice policy_of(const Caches& caches, const api::MachinePool& pool) {
  return policy_for(pool.metadata, caches.policies_in(pool.metadata.namespace_.view()));
}
template <typename T>
PolicyChoice policy_of(const Caches& caches, const T& object) {
  return policy_for(caches, object);
}

template <typename T>
std::optional<Governed> governed(const Caches& caches, const Snapshot<T>& object) {
  if (!object) return {};
  const PolicyChoice choice = policy_of(caches, *object);
  if (!choice.policy && choice.rivals.empty()) return {};
  const auto& metadata = object->metadata;
  return Governed{
      .cluster = caches.cluster_of(metadata.namespace_.view(), belonging_of(caches, *object).cluster),
      .control_plane = metadata.labels.contains(api::label::kControlPlane)};
}

}  // namespace

std::optional<Governed> governed_by_policy(const Caches& caches, const runtime::Asker& asker) {
  if (asker.kind == api::kind::kMachine) return governed(caches, caches.machines.get(asker.key));
  if (asker.kind == api::kind::kMachineSet) return governed(caches, caches.machine_sets.get(asker.key));
  if (asker.kind == api::kind::kMachineDeployment)
    return governed(caches, caches.machine_deployments.get(asker.key));
  if (asker.kind == api::kind::kMachinePool) return governed(caches, caches.machine_pools.get(asker.key));
  return {};
}

}  // namespace capstan::controllers::safety
