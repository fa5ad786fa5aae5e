// Defaults and cross-field rules of MachineDeployment (see rules.h). Pure functions.
#pragma once

#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/rules.h"

namespace capstan::api {

Result<void> apply_defaults(MachineDeployment& now, const MachineDeployment* before);
Causes validate(const MachineDeployment& now, const MachineDeployment* before, const Gates& gates = {});

}  // namespace capstan::api
