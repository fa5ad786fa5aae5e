#include "controllers/safety/lineage.h"

#include <vector>

#include "api/names.h"
#include "controllers/safety/fleet_freeze.h"
#include "controllers/shared/belonging.h"
#include "controllers/shared/policies.h"

namespace capstan::controllers::safety {
namespace {

Freezer freezer(const api::Cluster& cluster) {
  return {.kind = api::kind::kCluster, .metadata = &cluster.metadata};
}

// The Cluster stands behind all of them, and the fleet behind that.
template <typename T>
Frozen frozen_through(const Caches& caches, const T& object, std::vector<Freezer> lineage) {
  const auto cluster =
      caches.cluster_of(object.metadata.namespace_.view(), belonging_of(caches, object).cluster);
  if (cluster) lineage.push_back(freezer(*cluster));
  Frozen frozen = frozen_by_annotation(lineage);
  return frozen.holds() ? frozen : frozen_by_the_fleet(caches);
}

}  // namespace

Frozen frozen_by_a_person(const Caches& caches, const api::MachineSet& set) {
  const auto deployment = deployment_of(caches, set);
  std::vector<Freezer> lineage = {{.kind = api::kind::kMachineSet, .metadata = &set.metadata}};
  if (deployment)
    lineage.push_back({.kind = api::kind::kMachineDeployment, .metadata = &deployment->metadata});
  return frozen_through(caches, set, std::move(lineage));
}

Frozen frozen_by_a_person(const Caches& caches, const api::MachineDeployment& deployment) {
  return frozen_through(caches, deployment,
                        {{.kind = api::kind::kMachineDeployment, .metadata = &deployment.metadata}});
}

Frozen frozen_by_a_person(const Caches& caches, const api::MachinePool& pool) {
  return frozen_through(caches, pool, {{.kind = api::kind::kMachinePool, .metadata = &pool.metadata}});
}

Frozen frozen_by_a_person(const api::Cluster& cluster) {
  const std::vector<Freezer> lineage = {freezer(cluster)};
  return frozen_by_annotation(lineage);
}

}  // namespace capstan::controllers::safety
