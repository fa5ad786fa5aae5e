// Whether a MachineSet has seen its last change, as far as that can be known from it. Pure.
#pragma once

#include "api/v1beta2/machine_set.h"

namespace capstan::controllers::machinedeployment {

// Its status is about its spec: nothing asked for earlier is still being done. A paused set does nothing, and
// tells nothing either.
bool is_settled(const api::MachineSet& set);

}  // namespace capstan::controllers::machinedeployment
