// Gathers what a turn of a MachinePool looks at, from caches; never blocks. Visits the instances of the pool.
#pragma once

#include <string>
#include <vector>

#include "controllers/machinepool/infra_memory.h"
#include "controllers/machinepool/observation.h"
#include "controllers/shared/deps.h"

namespace capstan::controllers::machinepool {

// How long an empty list has to last before it is looked at for the second time.
inline constexpr Seconds kSecondLook{30};

// A pool as the Cluster that owns it sees it, whatever its spec.clusterName has become since.
struct Belonged {
  Snapshot<api::MachinePool> pool = {};
  std::string misnamed = {};
};
Belonged belonged(const Caches& caches, Snapshot<api::MachinePool> pool);

// Reads everything but `emptied_for_sure`.
struct ObserveContext {
  const Deps& deps;
  const Host& host;
  InfraMemory& infra_memory;
};
Observation observe(const ObserveContext& with, bool fresh, Belonged known);
// named_late(), less those that another pool or a Machine claims, too.
std::vector<Text> late_instances(const Caches& caches, const InfraFinding& infra,
                                 const api::MachinePool& pool);
// It is sure by now that all instances are gone: what Nodes they had are former ones.
void accept_empty_list(Observation& seen);

}  // namespace capstan::controllers::machinepool
