// Gathers what a turn looks at: from caches, and for an object on its way out by live reads: a list of the
// MachineSets of its MachineDeployment and, for a MachineSet, the MachineDeployment. A cache that is behind
// must not make a template look unused.
#pragma once

#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_set.h"
#include "controllers/shared/turn.h"
#include "controllers/topology/observation.h"

namespace capstan::controllers::topology {

// Made by a topology, and of this manager's shard.
bool is_concerned(const api::ObjectMeta& object, const Deps& deps);

Result<Observation> observe(const ObserveContext& with, const api::MachineDeployment& deployment);
Result<Observation> observe(const ObserveContext& with, const api::MachineSet& set);

}  // namespace capstan::controllers::topology
