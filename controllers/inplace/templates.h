// Which Machines can be updated in place: those of a MachineSet whose template differs from the wanted one in
// its version and bootstrap configuration alone. Pure.
#pragma once

#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_set.h"

namespace capstan::controllers::inplace {

// A bootstrap configuration of another kind, or one in the place of a Secret, needs other Machines.
bool differ_in_place(const api::MachineTemplate& from, const api::MachineTemplate& to);

// Whether the Machines of an old set can become what the deployment wants now. `begun`: spec.rollout.after
// has passed; Machines older than that are to be replaced.
bool are_updatable(const api::MachineDeployment& deployment, const api::MachineSet& old, bool begun);

}  // namespace capstan::controllers::inplace
