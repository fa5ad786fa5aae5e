#include "controllers/machineset/fleet_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "api/conditions/message.h"
#include "api/policy/names.h"
#include "controllers/machineset/held_deletions.h"
#include "controllers/safety/fleet_request.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::machineset {
namespace {

constexpr std::size_t kNamesShown = 3;
// Most requests are granted within a moment: saying so would cost two writes of the set's status, and two of
// its MachineDeployment's.
constexpr Seconds kShownAfter{5};
// So long the set says nothing new at all, of its requests in whole seconds.
constexpr Seconds kSilentFor{2};
constexpr std::string_view kNoGranter =
    "; no manager has looked at that policy yet: one has to run with --owns-fleet-policy=true";

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
  // Machines that wait for one thing.
  struct Group {
    std::vector<std::string> names = {};
    Time since = {};
  };

  // What a user deletes goes, and its Machines with it.
  bool has_to_wait(const DeleteMachine& removal) const {
    return seen_.fleet_limited && removal.why != DeleteMachine::Why::SetDeleted &&
           safety::is_worker(*removal.machine) && !safety::has_fleet_grant(*removal.machine);
  }

  // Its place among those that wait is the one it had, also when the reason has become another.
  void ask(const DeleteMachine& removal, std::vector<Action>& actions) {
    const auto before = safety::fleet_request_of(*removal.machine);
    const safety::FleetRequest request{.reason = std::string(to_string(*cause_of(seen_, removal))),
                                       .since = before ? before->since : seen_.now};
    if (before != request)
      actions.push_back(AskFleet{.machine = removal.machine, .request = safety::to_text(request)});
    Group& group = removal.why == DeleteMachine::Why::ScaleDown ? scaling_ : remediation_;
    group.names.push_back(removal.machine->metadata.name.str());
    group.since = group.names.size() == 1 ? request.since : std::min(group.since, request.since);
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

  void note_waiting(api::NoteCode code, const Group& group) {
    if (group.names.empty()) return;
    const Seconds left = group.since + kShownAfter - seen_.now;
    if (seen_.fleet_granted && left > Seconds(0)) {
      const Seconds silent = group.since + kSilentFor - seen_.now;
      const bool is_new = silent > Seconds(0) && silent <= kSilentFor;
      plan_.awaits_grants = plan_.awaits_grants || is_new;
      return recheck_within(plan_.recheck, is_new ? silent : left);
    }
    plan_.notes.push_back(
        {.code = code,
         .text = fmt::format("Machines that wait for a place in the limits of FleetPolicy {}, since {}: {}{}",
                             api::policy::kFleetPolicyName, group.since.to_string(),
                             api::conditions::name_list(group.names, kNamesShown),
                             seen_.fleet_granted ? "" : kNoGranter)});
  }

  const Observation& seen_;
  Plan& plan_;
  std::unordered_set<api::Uid> wanted_ = {};
  Group scaling_ = {};
  Group remediation_ = {};
};

}  // namespace

void await_fleet_grants(const Observation& seen, Plan& plan) { Awaiting(seen, plan).run(); }

}  // namespace capstan::controllers::machineset
