// What the schemas of the Driver kinds can't say (api/v1beta2/rules.h); they have no defaults. Used by
// webhooks. Pure functions.
#pragma once

#include "api/driver/driver_machine_pool.h"
#include "api/driver/driver_machine_template.h"
#include "api/v1beta2/rules.h"

namespace capstan::api {

Causes validate(const DriverCluster& now, const DriverCluster* before, const Gates& gates = {});
Causes validate(const DriverMachine& now, const DriverMachine* before, const Gates& gates = {});
Causes validate(const DriverMachineTemplate& now, const DriverMachineTemplate* before,
                const Gates& gates = {});
Causes validate(const DriverMachinePool& now, const DriverMachinePool* before, const Gates& gates = {});

}  // namespace capstan::api
