// When a workload cluster is to be connected at all. Asked by whoever feeds the registry of connections.
// Pure.
#pragma once

#include "api/v1beta2/cluster.h"

namespace capstan::controllers::cluster {

// From the moment its infrastructure stands, paused or being deleted included: until then there is nothing to
// reach, and afterwards those who drain and delete still need it.
inline bool wants_connection(const api::Cluster& cluster) {
  return cluster.status.initialization.infrastructure_provisioned.value_or(false);
}

}  // namespace capstan::controllers::cluster
