// Carries out a plan of decide(): the writes of one turn. Each action is safe to repeat; one that fails does
// not keep the others from happening, except that no Machine is made after the refusal of an object that the
// next one needs as well. Blocks as the client does.
#pragma once

#include "controllers/machineset/effects.h"
#include "controllers/machineset/memory.h"
#include "controllers/machineset/plan.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machineset {

Effects act(const ActContext& with, Memory& memory, const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::machineset
