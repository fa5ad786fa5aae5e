// Carries out the plan: creates the data Secret. Blocks as the client does.
#pragma once

#include "bootstrap/controller/effects.h"
#include "bootstrap/controller/plan.h"
#include "bootstrap/controller/turn.h"

namespace capstan::bootstrap::controller {

Effects act(const ActContext& with, const Plan& plan);

}  // namespace capstan::bootstrap::controller
