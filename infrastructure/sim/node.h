// The documents a simulated kubelet writes: its Node, the Node's conditions, its Lease. Pure functions.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/time.h"
#include "infrastructure/sim/sim_vm.h"

namespace capstan::infrastructure::sim {

// As a kubelet registers itself, with the taint that keeps Pods away until Cluster API has put its labels on.
boost::json::value node_object(const SimVm& vm, bool ready, Time now);
// Strategic merge patches of the status.
boost::json::value ready_patch(Time now);
boost::json::value heartbeat_patch(Time now);
boost::json::value lost_patch(Time now);  // what the node controller says of a kubelet that fell silent

boost::json::value lease_object(const SimVm& vm, MicroTime now);
boost::json::value lease_patch(MicroTime now);

}  // namespace capstan::infrastructure::sim
