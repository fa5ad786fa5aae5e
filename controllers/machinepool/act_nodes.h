// The parts of act() that write, drain and delete Nodes of the workload cluster. Block as its client does.
#pragma once

#include "controllers/machinepool/act_turn.h"

namespace capstan::controllers::machinepool {

// False when it failed.
bool write_node_of_instance(ActTurn& turn, const WriteNode& action);
void retire_nodes(ActTurn& turn, const RetireNodes& action);
// Both are false when what comes after them has to wait.
bool drain_nodes(ActTurn& turn, const DrainNodes& action);
bool delete_nodes(ActTurn& turn, const DeleteNodes& action);

}  // namespace capstan::controllers::machinepool
