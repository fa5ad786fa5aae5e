// Defaults and cross-field rules of MachinePool (see rules.h). Pure functions.
#pragma once

#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/rules.h"

namespace capstan::api {

Result<void> apply_defaults(MachinePool& now, const MachinePool* before);
Causes validate(const MachinePool& now, const MachinePool* before, const Gates& gates = {});

}  // namespace capstan::api
