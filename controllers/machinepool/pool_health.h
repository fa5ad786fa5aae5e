// The condition capstan.dev/Healthy of a MachinePool under a policy: which of its Machines are not well, and
// why they are not replaced now; of a pool without Machines which Nodes, which is all that can be done for
// them here. Used by report.h. Pure.
#pragma once

#include "controllers/machinepool/own_condition.h"
#include "controllers/machinepool/plan.h"

namespace capstan::controllers::machinepool {

// Of a pool whose Nodes can't be seen it stays as it was.
void show_health(const Observation& seen, const Plan& plan, api::MachinePool& after);

}  // namespace capstan::controllers::machinepool
