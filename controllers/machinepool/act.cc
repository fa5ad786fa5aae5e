#include "controllers/machinepool/act.h"

#include "controllers/machinepool/act_machines.h"
#include "controllers/machinepool/act_nodes.h"
#include "controllers/machinepool/act_providers.h"
#include "controllers/shared/claim_writes.h"
#include "controllers/shared/turn_steps.h"

namespace capstan::controllers::machinepool {
namespace {

// One overload per action. False: what comes after it waits for another turn.
struct CarryOut {
  ActTurn& turn;
  bool node_failed = false;

  bool operator()(const WritePool& action);
  bool operator()(const ClaimProvider& action);
  bool operator()(const ConfirmList&) { return confirm_list(turn); }
  bool operator()(const DeleteProvider& action);
  bool operator()(const ConfirmGone&) { return confirm_gone(turn); }
  bool operator()(const DropFinalizer&);
  bool operator()(const CreateMachine& action);
  bool operator()(const ApplyMachine& action);
  bool operator()(const RepairManagers& action);
  bool operator()(const WriteUpToDate& action);
  bool operator()(const DeleteMachine& action);
  bool operator()(const GrantReplacement& action);
  bool operator()(const ReplaceMachine& action);
  bool operator()(const AskFleet& action);
  bool operator()(const UseConfirmation&);
  bool operator()(const WriteVictims& action);
  bool operator()(const WriteNode& action);
  bool operator()(const RetireNodes& action);
  bool operator()(const DrainNodes& action) { return drain_nodes(turn, action); }
  bool operator()(const DeleteNodes& action) { return delete_nodes(turn, action); }
};

// Nodes that were to retire are still there.
void leave_undone(const Action& action, Effects& effects) {
  const auto* retire = std::get_if<RetireNodes>(&action);
  if (retire != nullptr) effects.kept = retire->nodes;
}

}  // namespace

Effects act(const ActContext& with, Memory& memory, const Observation& seen, const Plan& plan) {
  ActTurn turn{.with = with,
               .memory = memory,
               .seen = seen,
               .key = runtime::key_of(*seen.pool),
               .effects = {.pool = *seen.pool}};
  CarryOut carry_out{turn};
  bool goes_on = true;
  for (const Action& action : plan.actions) {
    if (goes_on) {
      goes_on = std::visit(carry_out, action);
    } else {
      leave_undone(action, turn.effects);
    }
  }
  if (goes_on && plan.unfinished) turn.effects.unfinished = true;
  return std::move(turn.effects);
}

namespace {

bool CarryOut::operator()(const WritePool& action) {
  return turn.keep(write_pool(turn, action.from, action.to));
}

bool CarryOut::operator()(const ClaimProvider& action) {
  turn.keep(write_claim(turn.with, {.key = turn.key, .cluster = turn.seen.pool->spec.cluster_name},
                        turn.seen.provider(action.which), action.to));
  return true;
}

bool CarryOut::operator()(const DeleteProvider& action) {
  turn.keep(delete_provider(turn, action));
  return true;
}

bool CarryOut::operator()(const DropFinalizer&) {
  turn.effects.gone = turn.keep(end_deletion(turn.with, turn.with.deps.caches.machine_pools, *turn.seen.pool,
                                             api::finalizer::kMachinePool));
  return true;
}

bool CarryOut::operator()(const CreateMachine& action) {
  turn.keep(create_machine(turn, action));
  return true;
}

bool CarryOut::operator()(const ApplyMachine& action) {
  turn.keep(apply_machine(turn, action));
  return true;
}

bool CarryOut::operator()(const RepairManagers& action) {
  turn.keep(repair_managers_of(turn, action));
  return true;
}

bool CarryOut::operator()(const WriteUpToDate& action) {
  turn.keep(write_up_to_date(turn, action));
  return true;
}

bool CarryOut::operator()(const DeleteMachine& action) {
  turn.keep(delete_machine(turn, action));
  return true;
}

bool CarryOut::operator()(const GrantReplacement& action) {
  turn.keep(grant(turn, action));
  return true;
}

bool CarryOut::operator()(const ReplaceMachine& action) {
  turn.keep(replace_machine(turn, action));
  return true;
}

bool CarryOut::operator()(const AskFleet& action) {
  turn.keep(ask_fleet(turn, action));
  return true;
}

// While something failed it is good for the next turn.
bool CarryOut::operator()(const UseConfirmation&) {
  if (turn.effects.errors.empty()) turn.keep(use_confirmation(turn));
  return true;
}

bool CarryOut::operator()(const WriteVictims& action) {
  turn.keep(write_victims(turn, action));
  return true;
}

bool CarryOut::operator()(const WriteNode& action) {
  if (!node_failed) node_failed = !write_node_of_instance(turn, action);
  return true;
}

bool CarryOut::operator()(const RetireNodes& action) {
  retire_nodes(turn, action);
  return true;
}

}  // namespace
}  // namespace capstan::controllers::machinepool
