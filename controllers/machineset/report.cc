#include "controllers/machineset/report.h"

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/meta/label_selector.h"
#include "controllers/machineset/conditions.h"
#include "controllers/machineset/counters.h"
#include "controllers/safety/frozen_condition.h"
#include "controllers/shared/held_up.h"
#include "controllers/shared/recheck.h"
#include "controllers/shared/stale_deletions.h"
#include "runtime/paused.h"

namespace capstan::controllers::machineset {
namespace {

void show_unconfirmed(const Observation& seen, api::MachineSet& after);

void set_conditions(const Observation& seen, const Plan& plan, const Effects& effects,
                    api::MachineSet& after) {
  // A paused set gets no report.
  after.status.conditions =
      runtime::judge_pause({}, after.status.conditions, after.metadata.generation, seen.now).conditions;
  for (auto&& condition : {scaling_up(seen, plan, effects), scaling_down(seen, plan), machines_ready(seen),
                           machines_up_to_date(seen), remediating(seen, plan), deleting(seen)}) {
    api::conditions::set(after.status.conditions, condition, after.metadata.generation, seen.now);
  }
  show_unconfirmed(seen, after);
  // Caches that are behind count too few Machines.
  if (seen.fresh)
    safety::show_frozen(seen.census.frozen, after.status.conditions, after.metadata.generation, seen.now);
  show_held_up(after.status.conditions, seen.machines, after.metadata.generation, seen.now);
}

// Where users look first, too.
void show_unconfirmed(const Observation& seen, api::MachineSet& after) {
  const auto ready = api::conditions::find(after.status.conditions, api::condition::kMachinesReady);
  if (seen.unconfirmed.empty() || ready == nullptr) return;
  api::Condition fuller = *ready;
  fuller.message =
      FreeText(fuller.message.str() + (fuller.message.empty() ? "* " : "\n* ") + seen.unconfirmed);
  api::conditions::set(after.status.conditions, std::move(fuller), after.metadata.generation, seen.now);
}

// What no event will tell: that a Machine has got older, or a Node has been ready for long enough.
std::optional<Seconds> next_change(const Observation& seen) {
  auto next = next_stale_deletion(seen.machines, seen.now);
  recheck_within(next, next_held_up(seen.machines, seen.now));
  const auto in = [&](Time since, Seconds span) {
    // A clock that is ahead of ours says a moment that is still to come.
    const Seconds left = std::min(span + Seconds(1) - (seen.now - since), span + Seconds(1));
    if (left.count() > 0) recheck_within(next, left);
  };
  const Seconds patience(seen.set.spec.machine_template.spec.min_ready_seconds.value_or(0));
  for (std::size_t i = 0; i < seen.machines.size(); ++i) {
    const api::Machine& machine = *seen.machines[i];
    if (api::conditions::find(machine.status.conditions, api::condition::kUpToDate) == nullptr) {
      in(machine.metadata.creation_timestamp, kUpToDateGrace);
    }
    if (patience.count() == 0 || !seen.nodes[i]) continue;
    for (const auto& condition : seen.nodes[i]->status.conditions) {
      const bool ready = condition.type == api::condition::kReady && condition.status == api::status::kTrue;
      if (ready) in(condition.last_transition_time, patience);
    }
  }
  return next;
}

}  // namespace

Reported report(const Observation& seen, const Plan& plan, const Effects& effects) {
  Reported reported{.after = *seen.stored};
  api::MachineSetStatus& status = reported.after.status;
  // The one that was acted upon: a change that waits, or that the caches can't judge, is still to be noticed.
  if (const auto selector = api::Selector::from(seen.set.spec.selector);
      selector && seen.fresh && seen.problem.empty()) {
    status.selector = Text(selector->str());
  }
  count(seen, effects.deleted, status);
  // What is decided about the Machines before the next turn has to count those.
  status.replicas =
      *status.replicas + static_cast<std::int32_t>(std::ssize(effects.created)) + effects.in_doubt;
  set_conditions(seen, plan, effects, reported.after);
  auto& old = status.deprecated.ensure().v1beta1.ensure();
  count_v1beta1(seen, old);
  set_v1beta1_conditions(seen, plan, effects, old);
  // Also after a turn that failed: what it was asked for has been seen, and the numbers above are about it.
  // The owner waits for that before it moves another set.
  if (seen.fresh && seen.problem.empty()) {
    status.observed_generation = std::max<std::int64_t>(1, reported.after.metadata.generation);
  }
  reported.recheck = next_change(seen);
  return reported;
}

std::vector<Note> news(const Observation& seen, const api::MachineSet& after) {
  constexpr std::string_view kBlocked = " is blocked because:\n";
  const auto was = api::conditions::find(seen.stored->status.conditions, api::condition::kScalingUp);
  const auto is = api::conditions::find(after.status.conditions, api::condition::kScalingUp);
  if (is == nullptr || (was != nullptr && was->message == is->message)) return {};
  if (!seen.unconfirmed.empty())
    return {{.code = api::NoteCode::ChangeUnconfirmed, .text = seen.unconfirmed}};
  if (!is->message.view().contains(kBlocked)) return {};
  return {{.code = api::NoteCode::CreateFailed, .text = is->message.str()}};
}

}  // namespace capstan::controllers::machineset
