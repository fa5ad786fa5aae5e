// Notes on a Machine that its provider has no room for its VM, and until when its MachineSet makes no other
// one (controllers/lifecycle/exhaustion.h). Pure.
#pragma once

#include "controllers/machine/plan.h"

namespace capstan::controllers::machine {

// After plan.infra is known. The time is written once for each trouble, and goes with it.
void note_exhaustion(const Observation& seen, Plan& plan);

}  // namespace capstan::controllers::machine
