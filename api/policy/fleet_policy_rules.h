// What the schema of a FleetPolicy can't say (api/v1beta2/rules.h); its defaults are all in the schema. Pure
// functions.
#pragma once

#include "api/policy/fleet_policy.h"
#include "api/v1beta2/rules.h"

namespace capstan::api {

// Whether it is the one that counts.
bool is_the_fleet_policy(const FleetPolicy& policy);

Causes validate(const FleetPolicy& now, const FleetPolicy* before, const Gates& gates = {});

}  // namespace capstan::api
