// Carries out a plan: marks and releases Machines of several owners. Each write is bound to the version that
// was seen and safe to repeat. Blocks as the client does.
#pragma once

#include "controllers/lifecyclepolicy/effects.h"
#include "controllers/lifecyclepolicy/plan.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::lifecyclepolicy {

Effects act(const ActContext& with, const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::lifecyclepolicy
