// Gathers what a turn of a FleetPolicy looks at: from caches, through their indexes, without a live read.
// Visits the Machines that ask for a place in its limits or have one.
#pragma once

#include <optional>

#include "controllers/fleetpolicy/observation.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::fleetpolicy {

// Nothing when the policy is gone or on its way out.
std::optional<Observation> observe(const ObserveContext& with, const kube::ObjectKey& key);

}  // namespace capstan::controllers::fleetpolicy
