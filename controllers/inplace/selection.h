// Which Machines are updated next, and whether old Machines are kept for that: as many as may be unavailable,
// less those that are being updated and those of the new MachineSet that do not work yet. Pure.
#pragma once

#include <vector>

#include "controllers/inplace/protocol.h"

namespace capstan::controllers::inplace {

// Those that begin now; in their order. A Machine that does not work is updated before one that does, for
// that costs nothing; of the same kind the older MachineSet's, then the older one.
std::vector<const MachineSeen*> next_machines(const Situation& now);

// The new MachineSet has not all its Machines yet, and there are old ones that are updated, or could be.
bool keeps_old_machines(const Situation& now);

// While nothing moves: what it waits for, and what a person can do.
std::vector<std::string> waits_for(const Situation& now);

}  // namespace capstan::controllers::inplace
