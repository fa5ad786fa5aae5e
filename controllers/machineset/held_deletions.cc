#include "controllers/machineset/held_deletions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/lifecycle/judge.h"
#include "controllers/lifecycle/preservation.h"
#include "controllers/safety/deleted_for.h"
#include "controllers/safety/deletion_guard.h"
#include "controllers/safety/fleet_asking.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::machineset {
namespace {

using safety::Cause;
namespace annotation = api::policy::annotation;

// A person has to do something first.
constexpr Seconds kConfirmationRecheck{60};

// A MachineDeployment makes its old sets smaller within the windows and by confirmed steps: asked about
// again, a Recreate could stop between its two halves. A policy that selects the set alone is asked here.
bool is_decided_above(const Observation& seen, Cause cause) {
  return cause == Cause::Rollout && seen.deletion_rules.rollouts_asked_above;
}

// A set that had Machines to lose before it was an old one has no such mark: they are not the rollout's.
bool is_rolled(const Observation& seen) {
  if (!seen.outdated()) return false;
  if (!seen.deletion_rules.rollouts_asked_above || !seen.deletion_rules.are_there()) return true;
  const auto& annotations = seen.stored->metadata.annotations;
  return annotations.value_or_empty(annotation::kRolledTo) ==
         std::to_string(seen.stored->spec.replicas.value_or(0));
}

api::NoteCode note_about(Cause cause) {
  return cause == Cause::ScaleIn || cause == Cause::Rollout ? api::NoteCode::ScaleDownHeldUp
                                                            : api::NoteCode::RemediationHeldUp;
}

template <typename Waits>
void take_out(const Observation& seen, Plan& plan, const Waits& waits) {
  std::vector<Action> left;
  for (Action& action : std::exchange(plan.actions, {})) {
    const auto* removal = std::get_if<DeleteMachine>(&action);
    if (removal == nullptr || !waits(*removal))
      left.push_back(std::move(action));
    else
      say_held(seen, *removal, left);
  }
  plan.actions = std::move(left);
}

// Not what was decided before, within another budget.
bool concerns_guard(const Observation& seen, const DeleteMachine& removal) {
  const auto cause = cause_of(seen, removal);
  return cause && !is_decided_above(seen, *cause) && !lifecycle::is_granted(*removal.machine);
}

bool is_confirmed(const Observation& seen, const api::Machine& machine) {
  return safety::is_confirmed(machine, seen.fleet, confirmed_as(seen));
}

// One that waits for its place in the limits of the FleetPolicy is not gone: it counts, until it is
// confirmed.
bool is_guarded(const Observation& seen, const DeleteMachine& removal) {
  return concerns_guard(seen, removal) && !is_confirmed(seen, *removal.machine);
}

std::vector<safety::Doomed> doomed_by(const Observation& seen, const Plan& plan, bool confirmed) {
  std::vector<safety::Doomed> doomed;
  for (const Action& action : plan.actions) {
    const auto* removal = std::get_if<DeleteMachine>(&action);
    if (removal == nullptr || !concerns_guard(seen, *removal)) continue;
    if (is_confirmed(seen, *removal->machine) != confirmed) continue;
    const auto& metadata = removal->machine->metadata;
    doomed.push_back({.text = metadata.name.str(), .identity = metadata.uid.str()});
  }
  return doomed;
}

void confirm(const Observation& seen, Plan& plan) {
  bool shown = true;
  for (Action& action : plan.actions) {
    auto* removal = std::get_if<DeleteMachine>(&action);
    if (removal == nullptr || !is_guarded(seen, *removal)) continue;
    removal->confirmed = true;
    shown = false;
  }
  plan.actions.push_back(UseConfirmation{.shown = shown});
}

// The deployment wants another number than the set was last sized for: there will be another list.
bool awaits_replicas(const Observation& seen) {
  const Text* sized_for = seen.stored->metadata.annotations.find(api::annotation::kDesiredReplicas);
  if (!seen.deployment || !seen.deployment->spec.replicas || sized_for == nullptr) return false;
  return *sized_for != std::to_string(*seen.deployment->spec.replicas);
}

safety::GuardVerdict ask_guard(const Observation& seen, const Plan& plan) {
  auto verdict = safety::ask_guard({.kind = api::kind::kMachineSet,
                                    .owner = seen.stored->metadata,
                                    .policy = seen.deletion_rules.policy,
                                    .percent = *seen.deletion_rules.guard_percent,
                                    .governed = seen.deletion_rules.governed,
                                    .doomed = doomed_by(seen, plan, false),
                                    .confirmed = doomed_by(seen, plan, true)});
  if (!verdict.confirmed || !awaits_replicas(seen)) return verdict;
  return {.open = false,
          .why = fmt::format("the confirmed deletion waits for the replicas that MachineDeployment {} wants",
                             seen.deployment->metadata.name.view())};
}

bool scales_down(const Plan& plan) {
  return std::ranges::any_of(plan.actions, [&](const Action& action) {
    const auto* removal = std::get_if<DeleteMachine>(&action);
    return removal != nullptr && removal->why == DeleteMachine::Why::ScaleDown;
  });
}

}  // namespace

std::string confirmed_as(const Observation& seen) { return std::to_string(seen.stored->metadata.generation); }

std::optional<Cause> cause_of(const Observation& seen, const DeleteMachine& removal) {
  switch (removal.why) {
    case DeleteMachine::Why::ScaleDown: return is_rolled(seen) ? Cause::Rollout : Cause::ScaleIn;
    case DeleteMachine::Why::Remediation:
    case DeleteMachine::Why::Failed:
      return lifecycle::was_preserved(*removal.machine) ? Cause::PreservationEnded : Cause::Remediation;
    case DeleteMachine::Why::SetDeleted: break;
  }
  return {};
}

void hold_for_windows(const Observation& seen, Plan& plan) {
  const auto& rules = seen.deletion_rules;
  if (rules.windows.empty() && rules.fleet_windows.list.empty()) return;
  std::map<Cause, safety::WindowVerdict> shut;
  take_out(seen, plan, [&](const DeleteMachine& removal) {
    const auto cause = cause_of(seen, removal);
    if (!cause || is_decided_above(seen, *cause)) return false;
    auto verdict = safety::ask_windows(rules, *cause, seen.now);
    if (verdict.open) return false;
    shut.insert_or_assign(*cause, std::move(verdict));
    return true;
  });
  for (const auto& [cause, verdict] : shut) {
    plan.notes.push_back({.code = note_about(cause), .text = verdict.why});
    recheck_within(plan.recheck, verdict.opens_in);
  }
}

void hold_for_confirmation(const Observation& seen, Plan& plan) {
  if (!seen.deletion_rules.guard_percent) return;
  const auto verdict = ask_guard(seen, plan);
  plan.needs_count = verdict.uncounted;
  if (verdict.confirmed) confirm(seen, plan);
  if (verdict.open) return;
  const auto code = scales_down(plan) ? api::NoteCode::ScaleDownHeldUp : api::NoteCode::RemediationHeldUp;
  take_out(seen, plan, [&](const DeleteMachine& removal) { return is_guarded(seen, removal); });
  plan.notes.push_back({.code = code, .text = verdict.why});
  recheck_within(plan.recheck, kConfirmationRecheck);
}

void say_held(const Observation& seen, const DeleteMachine& removal, std::vector<Action>& actions) {
  if (!removal.first) return;
  if (auto mark = mark_of_held(removal.machine, seen.stored->metadata.name.view(), seen.now))
    actions.push_back(MarkMachine{.mark = std::move(*mark)});
}

void name_causes(const Observation& seen, Plan& plan) {
  std::unordered_set<api::Uid> going;
  for (Action& action : plan.actions) {
    auto* removal = std::get_if<DeleteMachine>(&action);
    if (removal == nullptr) continue;
    going.insert(removal->machine->metadata.uid);
    const bool is_named = !seen.deletion_rules.policy.empty() &&
                          removal->why == DeleteMachine::Why::ScaleDown &&
                          !safety::has_fleet_place(*removal->machine);
    if (is_named) removal->deleted_for = to_string(*cause_of(seen, *removal));
  }
  for (const auto& machine : seen.machines) {
    const auto& metadata = machine->metadata;
    if (safety::is_named(*machine) && !metadata.deleting() && !going.contains(metadata.uid))
      plan.actions.push_back(TakeCauseOff{.machine = machine});
  }
}

}  // namespace capstan::controllers::machineset
