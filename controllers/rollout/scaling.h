// Scaling while the rollout is paused (spec.paused): replicas follow the deployment, Machines are not
// exchanged. As with upstream's controller, what is added or removed falls to the largest MachineSet.
// Pure.
#pragma once

#include "controllers/rollout/fleet.h"

namespace capstan::controllers::rollout {

Scaling plan_paused(const Fleet& fleet, bool on_delete);

}  // namespace capstan::controllers::rollout
