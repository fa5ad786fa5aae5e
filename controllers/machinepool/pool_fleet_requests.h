// Deletions of Machines of a MachinePool that need a place in the limits of the FleetPolicy wait for its
// grant, and ask for one on their Machine. Runs after whatever decides such deletions: what must not be
// deleted now asks for nothing. Used by decide.h. Pure.
#pragma once

#include "controllers/machinepool/plan.h"

namespace capstan::controllers::machinepool {

void await_fleet_grants(const Observation& seen, Plan& plan);

}  // namespace capstan::controllers::machinepool
