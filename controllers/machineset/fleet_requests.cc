#include "controllers/machineset/fleet_requests.h"

#include <unordered_set>
#include <utility>

#include "controllers/machineset/held_deletions.h"
#include "controllers/safety/fleet_asking.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::machineset {
namespace {

using safety::AwaitingFleet;

class Awaiting {
 public:
  Awaiting(const Observation& seen, Plan& plan) : seen_(seen), plan_(plan) {}

  void run() {
    std::vector<Action> actions;
    for (Action& action : std::exchange(plan_.actions, {})) {
      auto* removal = std::get_if<DeleteMachine>(&action);
      if (removal != nullptr) wanted_.insert(removal->machine->metadata.uid);
      if (removal != nullptr && has_to_wait(*removal)) {
        ask(*removal, actions);
      } else {
        actions.push_back(std::move(action));
      }
    }
    withdraw(actions);
    plan_.actions = std::move(actions);
    note_waiting(api::NoteCode::ScaleDownHeldUp, scaling_);
    note_waiting(api::NoteCode::RemediationHeldUp, remediation_);
  }

 private:
  // What a user deletes goes, and its Machines with it.
  bool has_to_wait(const DeleteMachine& removal) const {
    return removal.why != DeleteMachine::Why::SetDeleted &&
           safety::lacks_fleet_grant(*removal.machine, seen_.fleet);
  }

  void ask(const DeleteMachine& removal, std::vector<Action>& actions) {
    const auto request =
        safety::request_for(*removal.machine, *cause_of(seen_, removal), confirmed(removal), seen_.now);
    // One write a turn: the other one would be of an older version.
    if (auto asking = safety::ask_fleet(removal.machine, request))
      actions.push_back(std::move(*asking));
    else
      say_held(seen_, removal, actions);
    auto& group = removal.why == DeleteMachine::Why::ScaleDown ? scaling_ : remediation_;
    group.add(*removal.machine, request);
  }

  // A later change of the spec of the set is another question.
  std::string confirmed(const DeleteMachine& removal) const {
    const std::string as = confirmed_as(seen_);
    return removal.confirmed || safety::is_confirmed(*removal.machine, seen_.fleet, as) ? as : std::string();
  }

  // By caches that are behind no deletion is decided, which is no change of mind.
  void withdraw(std::vector<Action>& actions) const {
    if (!seen_.fresh || !seen_.problem.empty()) return;
    for (const auto& machine : seen_.machines) {
      const bool is_asking = safety::concerns_fleet(*machine) && !machine->metadata.deleting();
      if (is_asking && !wanted_.contains(machine->metadata.uid))
        actions.push_back(AskFleet{.machine = machine});
    }
  }

  // While they are new the set writes no status at all.
  void note_waiting(api::NoteCode code, const AwaitingFleet& group) {
    if (group.names.empty()) return;
    const Seconds silent = group.silent_for(seen_.now);
    if (seen_.fleet.has_granter && silent > Seconds(0)) {
      plan_.awaits_grants = plan_.awaits_grants || group.is_new(seen_.now);
      return recheck_within(plan_.recheck, silent);
    }
    plan_.notes.push_back({.code = code, .text = group.text(seen_.fleet.has_granter)});
  }

  const Observation& seen_;
  Plan& plan_;
  std::unordered_set<api::Uid> wanted_ = {};
  AwaitingFleet scaling_ = {};
  AwaitingFleet remediation_ = {};
};

}  // namespace

void await_fleet_grants(const Observation& seen, Plan& plan) { Awaiting(seen, plan).run(); }

}  // namespace capstan::controllers::machineset
