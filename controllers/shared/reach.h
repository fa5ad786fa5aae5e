// What is known of the way to a Cluster's API server, with what the Cluster itself says of it: its condition
// RemoteConnectionProbe outlives the process. Safe from any thread; never blocks.
#pragma once

#include "api/v1beta2/cluster.h"
#include "controllers/shared/contact.h"
#include "kubeconfig/workload_clusters.h"

namespace capstan::controllers {

kubeconfig::Reach reach_of(const kubeconfig::WorkloadClusters& clusters, const api::Cluster& cluster);

// The condition has turned: times that counted by it count anew.
bool same_contact(const api::Cluster& before, const api::Cluster& after);

}  // namespace capstan::controllers
