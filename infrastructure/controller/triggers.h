// What of an object of the core concerns the controllers of several kinds of the infrastructure provider.
// Pure.
#pragma once

#include "api/driver/driver_cluster.h"
#include "api/v1beta2/cluster.h"
#include "runtime/snapshot.h"

namespace capstan::infrastructure {

// That the Cluster is paused, and whether its infrastructure is there.
bool concerns_vms(const runtime::Change<api::Cluster>& change);
// That VMs may be made now which carry its key.
bool gets_its_key(const runtime::Change<api::DriverCluster>& change);

}  // namespace capstan::infrastructure
