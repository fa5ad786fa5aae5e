// Gathers what a turn looks at. Visits the instances of the pool. Reads caches, and the server for two
// things: objects of a pool that goes which the caches can't show, and an infrastructure that has said for a
// while that all instances are gone. Safe from any thread, one turn at a time per pool.
#pragma once

#include <string>
#include <vector>

#include "controllers/machinepool/memory.h"
#include "controllers/machinepool/observation.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machinepool {

// A pool as the Cluster that owns it sees it, whatever its spec.clusterName has become since.
struct Belonged {
  Snapshot<api::MachinePool> pool = {};
  std::string misnamed = {};
};
Belonged belonged(const Caches& caches, Snapshot<api::MachinePool> pool);

Observation observe(const ObserveContext& with, Memory& memory, Belonged known);

// named_late(), less those that another pool or a Machine claims, too.
std::vector<Text> late_instances(const Caches& caches, const InfraFinding& infra,
                                 const api::MachinePool& pool);
// It is sure by now that all instances are gone: what Nodes they had are former ones.
void accept_empty_list(Observation& seen);

}  // namespace capstan::controllers::machinepool
