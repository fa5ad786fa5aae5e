// What the schema of a MachineLifecyclePolicy can't say (api/v1beta2/rules.h); its defaults are all in the
// schema. Pure functions.
#pragma once

#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/rules.h"

namespace capstan::api {

Causes validate(const MachineLifecyclePolicy& now, const MachineLifecyclePolicy* before,
                const Gates& gates = {});

}  // namespace capstan::api
