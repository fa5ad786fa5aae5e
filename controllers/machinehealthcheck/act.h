// Does what a plan says: the check gets its owner, each Machine its mark, sick ones are handed to whoever
// remediates. A Machine whose turn fails does not stop the others. Blocks as the client does.
#pragma once

#include "controllers/machinehealthcheck/decide.h"
#include "controllers/machinehealthcheck/effects.h"
#include "controllers/shared/contests.h"
#include "controllers/shared/deps.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::machinehealthcheck {

// So many good news a turn sends: bad news must not wait behind them.
inline constexpr int kGoodNewsPerTurn = 100;

Effects act(const Deps& deps, const Host& host, Contests& contests, const runtime::Context& context,
            const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::machinehealthcheck
