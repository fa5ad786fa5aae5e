// Carries out what was decided: the mark of each Node, and an Event about it on the Cluster. Safe from any
// thread.
#pragma once

#include "base/result.h"
#include "controllers/shared/turn.h"
#include "controllers/unclaimed/decide.h"
#include "controllers/unclaimed/observation.h"
#include "kubeconfig/workload_clusters.h"

namespace capstan::controllers::unclaimed {

Result<void> act(const ActContext& with, const Observation& seen, const Plan& plan,
                 kubeconfig::WorkloadCluster& workload);

}  // namespace capstan::controllers::unclaimed
