// The Machines of a MachinePool that have failed by the policy of their life: which may be replaced now,
// which are deleted, and what stands against it. The pool counts for itself; its provider makes another
// instance of each that goes. Used by decide.h. Pure.
#pragma once

#include "controllers/machinepool/plan.h"

namespace capstan::controllers::machinepool {

void replace_machines(const Observation& seen, Plan& plan);

// Why one that has failed goes, for windows and limits.
safety::Cause cause_of_replacing(const api::Machine& machine);

// By the Node's annotations and its own the Machine is preserved (controllers/lifecycle/preservation.h).
bool is_kept(const Observation& seen, const api::Machine& machine);

}  // namespace capstan::controllers::machinepool
