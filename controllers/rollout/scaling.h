// Scaling while the rollout is paused (spec.paused): replicas follow the deployment, Machines are not
// exchanged. As upstream's does in effect: what is added or removed falls to the largest MachineSet
// (reference capi-machine 5.11). Pure.
#pragma once

#include "controllers/rollout/fleet.h"

namespace capstan::controllers::rollout {

Scaling plan_paused(const Fleet& fleet, bool on_delete);

}  // namespace capstan::controllers::rollout
