#include "controllers/shared/belonging.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.h"
#include "base/safeguards.h"

namespace capstan::controllers {
namespace {

// What controls an object, if it is of that kind and in the cache.
template <typename T>
Snapshot<T> controller_among(const runtime::Store<T>& store, std::string_view kind,
                             const api::ObjectMeta& object) {
  const api::OwnerReference* owner = object.controller();
  if (owner == nullptr || owner->kind != kind || owner->group() != api::group::kCluster) return nullptr;
  auto found = store.get({.namespace_ = object.namespace_.str(), .name = owner->name.str()});
  return found && found->metadata.uid == owner->uid ? found : nullptr;
}

template <typename T>
Belonging look_up_belonging(const Caches& caches, const T& object, std::span<const Ancestor> lineage) {
  const std::string_view named = object.spec.cluster_name;
  if (is_off(Safeguard::Belonging)) return {.cluster = std::string(named)};
  return belonging(lineage, named, [&](std::string_view cluster) {
    return caches.cluster_of(object.metadata.namespace_, cluster) != nullptr;
  });
}

}  // namespace

Belonging belonging_of(const Caches& caches, const api::Machine& machine) {
  std::vector<Ancestor> lineage{{api::kind::kMachine, &machine.metadata}};
  const auto set = controller_among(caches.machine_sets, api::kind::kMachineSet, machine.metadata);
  const auto pool = controller_among(caches.machine_pools, api::kind::kMachinePool, machine.metadata);
  const auto deployment =
      set ? controller_among(caches.machine_deployments, api::kind::kMachineDeployment, set->metadata)
          : nullptr;
  if (set) lineage.push_back({api::kind::kMachineSet, &set->metadata});
  if (pool) lineage.push_back({api::kind::kMachinePool, &pool->metadata});
  if (deployment) lineage.push_back({api::kind::kMachineDeployment, &deployment->metadata});
  return look_up_belonging(caches, machine, lineage);
}

Belonging belonging_of(const Caches& caches, const api::MachineSet& set) {
  std::vector<Ancestor> lineage{{api::kind::kMachineSet, &set.metadata}};
  const auto deployment =
      controller_among(caches.machine_deployments, api::kind::kMachineDeployment, set.metadata);
  if (deployment) lineage.push_back({api::kind::kMachineDeployment, &deployment->metadata});
  return look_up_belonging(caches, set, lineage);
}

Belonging belonging_of(const Caches& caches, const api::MachineDeployment& deployment) {
  const Ancestor itself{api::kind::kMachineDeployment, &deployment.metadata};
  return look_up_belonging(caches, deployment, {&itself, 1});
}

Belonging belonging_of(const Caches& caches, const api::MachinePool& pool) {
  const Ancestor itself{api::kind::kMachinePool, &pool.metadata};
  return look_up_belonging(caches, pool, {&itself, 1});
}

std::string contradiction(const Belonging& belonging, std::string_view cluster_name) {
  if (belonging.cluster == cluster_name) return {};
  return fmt::format(
      "spec.clusterName is {}, but this belongs to Cluster {}, which owns {}; set spec.clusterName to {} "
      "again, or "
      "delete it and make it anew for {}",
      cluster_name, belonging.cluster, belonging.through.empty() ? "it" : belonging.through,
      belonging.cluster, cluster_name);
}

}  // namespace capstan::controllers
