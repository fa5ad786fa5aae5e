// Defaults and cross-field rules of MachineSet (see rules.h). Pure functions.
#pragma once

#include "api/v1beta2/machine_set.h"
#include "api/v1beta2/rules.h"

namespace capstan::api {

Result<void> apply_defaults(MachineSet& now, const MachineSet* before);
Causes validate(const MachineSet& now, const MachineSet* before, const Gates& gates = {});

}  // namespace capstan::api
