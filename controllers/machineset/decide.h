// What is to become of a MachineSet and its Machines in this turn. Pure: everything it needs is in the
// Observation.
#pragma once

#include <string>
#include <vector>

#include "controllers/machineset/plan.h"

namespace capstan::controllers::machineset {

Plan decide(const Observation& seen);

// What is wrong with the Machines of the set that can't be decoded.
std::vector<std::string> unreadable_of(const Observation& seen);

}  // namespace capstan::controllers::machineset
