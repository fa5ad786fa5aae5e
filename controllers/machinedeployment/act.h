// Carries out a plan: few requests, each safe to repeat. MachineSets are written by server-side apply of
// their whole intent, everything else by patches. Adoptions that were refused are remembered. Blocks as the
// client does.
#pragma once

#include "controllers/machinedeployment/effects.h"
#include "controllers/machinedeployment/memory.h"
#include "controllers/machinedeployment/plan.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machinedeployment {

Effects act(const ActContext& with, Memory& memory, const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::machinedeployment
