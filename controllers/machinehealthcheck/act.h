// Carries out a plan: the check gets its owner, Machines their marks, remediation requests are made and
// withdrawn. An action that fails does not stop the others. Blocks as the client does.
#pragma once

#include "controllers/machinehealthcheck/effects.h"
#include "controllers/machinehealthcheck/memory.h"
#include "controllers/machinehealthcheck/plan.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machinehealthcheck {

Effects act(const ActContext& with, Memory& memory, const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::machinehealthcheck
