// Before a MachineSet deletes a surplus whose MachineDeployment may have moved Machines between its sets: is
// the set as large, and are the Machines its own, as the caches show it? Caches of two kinds don't move
// together, after a change of leaders above all; a Machine that has gone to another set long since would be
// taken for one too many. Asked of the server only where another set may have such a Machine. Blocks as the
// client does; safe from any thread.
#pragma once

#include "base/result.h"
#include "controllers/machineset/observation.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machineset {

// Conflict: a cache is behind, and the turn is repeated. Two requests, or none.
Result<void> confirm_count(const ActContext& with, const Observation& seen);

}  // namespace capstan::controllers::machineset
