// What is to become of a MachinePool: what to write on it, on the provider's objects, on Nodes and Machines.
// Pure; act.h carries it out, report.h turns it into conditions. A pool that goes is decided by deletion.h.
#pragma once

#include "controllers/machinepool/plan.h"

namespace capstan::controllers::machinepool {

Plan decide(const Observation& seen);

}  // namespace capstan::controllers::machinepool
