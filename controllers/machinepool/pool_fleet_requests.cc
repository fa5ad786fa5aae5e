#include "controllers/machinepool/pool_fleet_requests.h"

#include <algorithm>
#include <utility>

#include "controllers/machinepool/pool_replacements.h"
#include "controllers/shared/recheck.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinepool {
namespace {

using safety::AwaitingFleet;

safety::Cause cause_of(const ReplaceMachine& removal) {
  return removal.named ? safety::Cause::ScaleIn : cause_of_replacing(*removal.machine);
}

// Without limits nothing waits, and without a look at the Machines nothing is known of them.
bool may_withdraw(const Observation& seen, const Plan& plan, const api::Machine& machine) {
  return seen.fresh && seen.machines.state == MachinesSeen::State::Known && safety::concerns_fleet(machine) &&
         !machine.metadata.deleting() && !deletes(plan, machine) &&
         runtime::is_controlled_by(machine.metadata, seen.pool->metadata.uid);
}

void show_waiting(const Observation& seen, const AwaitingFleet& waiting, std::vector<std::string>& held,
                  Plan& plan) {
  if (waiting.names.empty()) return;
  const Seconds silent = waiting.silent_for(seen.now);
  if (seen.fleet.has_granter && silent > Seconds(0)) return recheck_within(plan.recheck, silent);
  held.push_back(waiting.text(seen.fleet.has_granter));
}

}  // namespace

void await_fleet_grants(const Observation& seen, Plan& plan) {
  std::vector<Action> withdrawals;
  for (const auto& machine : seen.machines.machines) {
    if (may_withdraw(seen, plan, *machine)) withdrawals.push_back(AskFleet{.machine = machine});
  }
  std::vector<Action> actions;
  AwaitingFleet named;
  AwaitingFleet failed;
  for (Action& action : std::exchange(plan.actions, {})) {
    const auto* removal = std::get_if<ReplaceMachine>(&action);
    if (removal == nullptr || !safety::lacks_fleet_grant(*removal->machine, seen.fleet)) {
      actions.push_back(std::move(action));
      continue;
    }
    const auto request =
        safety::request_for(*removal->machine, cause_of(*removal), removal->confirmed, seen.now);
    if (auto asking = safety::ask_fleet(removal->machine, request)) actions.push_back(std::move(*asking));
    (removal->named ? named : failed).add(*removal->machine, request);
  }
  std::ranges::move(withdrawals, std::back_inserter(actions));
  plan.actions = std::move(actions);
  show_waiting(seen, named, plan.victims_held, plan);
  show_waiting(seen, failed, plan.replacements_wait, plan);
}

}  // namespace capstan::controllers::machinepool
