// The status of a MachineLifecyclePolicy: what it selects, and with which other policies it shares that.
// Pure.
#pragma once

#include "controllers/lifecyclepolicy/observation.h"

namespace capstan::controllers::lifecyclepolicy {

api::MachineLifecyclePolicy report(const Observation& seen);

}  // namespace capstan::controllers::lifecyclepolicy
