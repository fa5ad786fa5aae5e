// Does what a plan says. Every step is safe to repeat; a step that fails does not stop the others, except for
// the finalizer, which comes before everything. Blocks as the client does.
#pragma once

#include "controllers/cluster/effects.h"
#include "controllers/cluster/memory.h"
#include "controllers/cluster/plan.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::cluster {

Effects act(const ActContext& with, Memory& memory, const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::cluster
