// Writes what a policy decides about Machines of several owners together: which failed ones are preserved
// without being asked for. Each write is bound to the version that was seen and safe to repeat. Blocks as the
// client does.
#pragma once

#include "controllers/lifecyclepolicy/observation.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::lifecyclepolicy {

Result<void> act(const ObserveContext& with, const Observation& seen);

}  // namespace capstan::controllers::lifecyclepolicy
