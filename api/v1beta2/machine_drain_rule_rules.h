// Cross-field rules of MachineDrainRule (see rules.h); it has no defaults. Pure functions.
#pragma once

#include "api/v1beta2/machine_drain_rule.h"
#include "api/v1beta2/rules.h"

namespace capstan::api {

Causes validate(const MachineDrainRule& now, const MachineDrainRule* before, const Gates& gates = {});

}  // namespace capstan::api
