// Until when a MachineSet makes no further Machine because its provider has no room for one: as its Machines
// say, and as it has noted itself, for those Machines may be gone. Pure.
#pragma once

#include <optional>
#include <string>

#include "controllers/machineset/observation.h"

namespace capstan::controllers::machineset {

// Nothing: there is room as far as is known, or no policy asks to wait for it.
std::optional<Time> exhausted_until(const Observation& seen);
std::string exhaustion_text(Time until);  // for ScalingUp

}  // namespace capstan::controllers::machineset
