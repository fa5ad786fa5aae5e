// The status of a FleetPolicy: whether it counts, which deletions it has granted, and what the others wait
// for. Pure.
#pragma once

#include "controllers/fleetpolicy/plan.h"

namespace capstan::controllers::fleetpolicy {

api::FleetPolicy report(const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::fleetpolicy
