// The parts of act() that write and delete the pool's Machines. Block as the client does.
#pragma once

#include "controllers/machinepool/act_turn.h"

namespace capstan::controllers::machinepool {

Result<void> create_machine(ActTurn& turn, const CreateMachine& action);
Result<void> apply_machine(ActTurn& turn, const ApplyMachine& action);
Result<void> repair_managers_of(ActTurn& turn, const RepairManagers& action);
Result<void> write_up_to_date(ActTurn& turn, const WriteUpToDate& action);
Result<void> delete_machine(ActTurn& turn, const DeleteMachine& action);
Result<void> grant(ActTurn& turn, const GrantReplacement& action);
Result<void> ask_fleet(ActTurn& turn, const AskFleet& action);
Result<void> replace_machine(ActTurn& turn, const ReplaceMachine& action);
Result<void> use_confirmation(ActTurn& turn);
Result<void> write_victims(ActTurn& turn, const WriteVictims& action);

}  // namespace capstan::controllers::machinepool
