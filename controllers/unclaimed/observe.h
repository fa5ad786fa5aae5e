// Gathers what is known of the Nodes of one Cluster and of what claims them: Nodes of the Cluster, each with
// two look-ups. From caches alone.
#pragma once

#include "controllers/shared/turn.h"
#include "controllers/unclaimed/observation.h"
#include "kubeconfig/workload_clusters.h"

namespace capstan::controllers::unclaimed {

Observation observe(const ObserveContext& with, runtime::Snapshot<api::Cluster> cluster,
                    const kubeconfig::WorkloadCluster& workload, Seconds patience);

}  // namespace capstan::controllers::unclaimed
