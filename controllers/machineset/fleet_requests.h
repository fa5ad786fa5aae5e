// Deletions of a MachineSet that need a place in the limits of the FleetPolicy wait for its grant, and ask
// for one on their Machine. The last step of decide.h: whatever stands against a deletion besides is decided
// before, so that what must not be deleted now asks for nothing. Pure.
#pragma once

#include "controllers/machineset/plan.h"

namespace capstan::controllers::machineset {

void await_fleet_grants(const Observation& seen, Plan& plan);

}  // namespace capstan::controllers::machineset
