// Defaults and cross-field rules of MachineHealthCheck (see rules.h). Pure functions.
#pragma once

#include "api/v1beta2/machine_health_check.h"
#include "api/v1beta2/rules.h"

namespace capstan::api {

Result<void> apply_defaults(MachineHealthCheck& now, const MachineHealthCheck* before);
Causes validate(const MachineHealthCheck& now, const MachineHealthCheck* before, const Gates& gates = {});

}  // namespace capstan::api
