// The next step of a rolling update: the new MachineSet grows as far as the surge allows, old ones shrink as
// far as availability allows, sick Machines of old ones first. Each number is the one that upstream's
// controller would choose, unless a policy asks for a slow start. Pure.
#pragma once

#include "controllers/rollout/fleet.h"

namespace capstan::controllers::rollout {

// Needs fleet.newest; one that does not exist yet has zeros. With a slow start, and as long as no Machine of
// the new set is available, it has no more Machines than that, and the old ones keep all but as many.
Scaling plan_rolling_update(const Fleet& fleet);

// How many more old Machines may be asked to go; zero or less: none. For tests and for people.
Count scale_down_budget(const Fleet& fleet, const Scaling& so_far);

}  // namespace capstan::controllers::rollout
