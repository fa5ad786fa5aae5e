// Writes grants on Machines, after the status has them: a process that dies in between leaves a grant that
// the next turn writes again, and never one that is not counted. Blocks as the client does.
#pragma once

#include "controllers/fleetpolicy/plan.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::fleetpolicy {

Result<void> act(const ActContext& with, const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::fleetpolicy
