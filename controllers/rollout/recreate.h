// The next step where a policy asks to recreate Machines: the last old one is gone before the first new one
// is made. Pure.
#pragma once

#include "controllers/rollout/fleet.h"

namespace capstan::controllers::rollout {

// Needs fleet.newest; one that does not exist yet has zeros. No limit holds the new set once the old Machines
// are gone.
Scaling plan_recreate(const Fleet& fleet);

// Old Machines are on their way out, and none of them is to stay. A pause stops no deletion that has begun,
// and no new Machine is made beside it.
bool is_between(const Fleet& fleet);

}  // namespace capstan::controllers::rollout
