// Carries a plan out: what the object leaves behind is deleted where the topology made it for the same
// Cluster, and then the finalizer goes. A template costs two reads and a deletion, a health check a read and
// a deletion. Blocks as the client does.
#pragma once

#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_set.h"
#include "controllers/shared/turn.h"
#include "controllers/topology/plan.h"

namespace capstan::controllers::topology {

Result<void> act(const ActContext& with, const api::MachineDeployment& deployment, const Plan& plan);
Result<void> act(const ActContext& with, const api::MachineSet& set, const Plan& plan);

}  // namespace capstan::controllers::topology
