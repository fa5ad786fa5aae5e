// Carries out the plan of a turn. Each write is safe to repeat; live reads guard the actions whose comment in
// plan.h says so. Blocks as the clients do; one turn at a time per pool, safe from any thread.
#pragma once

#include "controllers/machinepool/effects.h"
#include "controllers/machinepool/memory.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machinepool {

Effects act(const ActContext& with, Memory& memory, const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::machinepool
