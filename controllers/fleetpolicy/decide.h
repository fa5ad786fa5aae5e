// Which deletions get a place in the limits of the FleetPolicy now, and which places are free again. Pure:
// everything it needs is in the Observation.
#pragma once

#include "controllers/fleetpolicy/plan.h"

namespace capstan::controllers::fleetpolicy {

Plan decide(const Observation& seen);

}  // namespace capstan::controllers::fleetpolicy
