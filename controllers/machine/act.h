// Carries out a plan, in few requests; each is safe to repeat, and nothing is sent when nothing differs.
// Blocks as the client does; one turn at a time per Machine, safe from any thread.
#pragma once

#include "controllers/machine/effects.h"
#include "controllers/machine/memory.h"
#include "controllers/machine/observation.h"
#include "controllers/machine/plan.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machine {

Effects act(const ActContext& with, Memory& memory, const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::machine
