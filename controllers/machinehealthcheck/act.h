// Does what a plan says: the check gets its owner, each Machine its mark, sick ones are handed to whoever
// remediates. A Machine whose turn fails does not stop the others. Blocks as the client does.
#pragma once

#include "controllers/machinehealthcheck/effects.h"
#include "controllers/machinehealthcheck/plan.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machinehealthcheck {

// So many good news a turn sends: bad news must not wait behind them.
inline constexpr int kGoodNewsPerTurn = 100;

Effects act(const ActContext& with, const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::machinehealthcheck
