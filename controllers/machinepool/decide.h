// What is to become of a MachinePool that is not being deleted: what to write on it, on the provider's
// objects, on Nodes and Machines. Pure; act.h does it, report.h turns it into conditions.
#pragma once

#include "controllers/machinepool/plan.h"

namespace capstan::controllers::machinepool {

Plan decide(const Observation& seen);

}  // namespace capstan::controllers::machinepool
