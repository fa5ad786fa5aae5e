// What of an object concerns the controllers of the infrastructure provider. Pure.
#pragma once

#include "api/driver/driver_cluster.h"
#include "api/driver/driver_machine.h"
#include "api/driver/driver_machine_pool.h"
#include "api/v1beta2/cluster.h"
#include "runtime/snapshot.h"

namespace capstan::infrastructure {

// That the Cluster is paused, and whether its infrastructure is there.
bool concerns_vms(const runtime::Change<api::Cluster>& change);
// That VMs may be made now which carry its key.
bool gets_its_key(const runtime::Change<api::DriverCluster>& change);

// Whether a change of the object asks for a turn of it. What a turn has written of a driver's answer does
// not: no two answers of a cloud may be alike, and the driver would be asked again at once, whatever time it
// is to be left alone.
bool concerns_itself(const runtime::Change<api::DriverMachine>& change);
bool concerns_itself(const runtime::Change<api::DriverMachinePool>& change);

}  // namespace capstan::infrastructure
