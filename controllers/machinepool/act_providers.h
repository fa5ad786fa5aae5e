// The parts of act() that write the pool's own object, delete its provider's objects and confirm by live
// reads that nothing is left behind. Block as the client does.
#pragma once

#include "controllers/machinepool/act_turn.h"

namespace capstan::controllers::machinepool {

Result<void> write_pool(ActTurn& turn, const Snapshot<api::MachinePool>& from, const api::MachinePool& to);
Result<void> delete_provider(ActTurn& turn, const DeleteProvider& action);
// Both are false when what comes after them has to wait.
bool confirm_list(ActTurn& turn);
bool confirm_gone(ActTurn& turn);

}  // namespace capstan::controllers::machinepool
