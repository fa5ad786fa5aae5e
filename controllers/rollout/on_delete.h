// The next step under the strategy OnDelete: a user deletes old Machines, the new MachineSet makes new ones
// in their place. Pure.
#pragma once

#include "controllers/rollout/fleet.h"

namespace capstan::controllers::rollout {

// Needs fleet.newest; one that does not exist yet has zeros.
Scaling plan_on_delete(const Fleet& fleet);

}  // namespace capstan::controllers::rollout
