#include "controllers/machinedeployment/reconciler.h"

#include <algorithm>
#include <iterator>

#include "api/conditions/conditions.h"
#include "base/try.h"
#include "controllers/machinedeployment/act.h"
#include "controllers/machinedeployment/decide.h"
#include "controllers/machinedeployment/observe.h"
#include "controllers/machinedeployment/progress.h"
#include "controllers/machinedeployment/report.h"
#include "controllers/safety/freeze_events.h"
#include "controllers/safety/see_deletion_rules.h"
#include "controllers/shared/pause.h"
#include "controllers/shared/turn_steps.h"

namespace capstan::controllers::machinedeployment {

using runtime::Outcome;

namespace {

OwnedConditions owned() { return {.types = owned_conditions(), .v1beta1_types = owned_v1beta1_conditions()}; }

// What a first pass has found out by trying. When all orphans were refused, the turn goes on without them.
bool learn(Observation& seen, const Effects& effects) {
  if (effects.unadopted.empty()) return false;
  seen.stored = effects.deployment;
  std::ranges::copy(effects.unadopted, std::back_inserter(seen.unadopted));
  if (effects.failed() || effects.unadopted.size() < seen.orphans.size()) return false;
  seen.orphans.clear();
  return true;
}

}  // namespace

Result<Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  auto seen = TRY(observe({.deps = deps_, .host = *host_, .context = context}, memory_, key));
  if (!seen) {
    memory_.forget(key);
    contests_.forget(key);
    return Outcome::done();
  }
  const ActContext with{.deps = deps_, .host = *host_, .contests = contests_, .context = context};
  const auto pause = pause_of(seen->cluster.get(), seen->stored->metadata, api::kind::kMachineDeployment);
  return pause.paused ? hold_still(with, *seen, pause) : take_turn(with, std::move(*seen));
}

Result<Outcome> Reconciler::hold_still(const ActContext& with, const Observation& seen,
                                       const runtime::Paused& pause) {
  return keep_still(with, deps_.caches.machine_deployments, *seen.stored,
                    {.finalizer = api::finalizer::kMachineDeployment, .pause = pause, .owned = owned()});
}

Result<Outcome> Reconciler::take_turn(const ActContext& with, Observation seen) {
  Pass pass = decide_and_act(with, seen);
  if (learn(seen, pass.effects)) pass = decide_and_act(with, seen);
  const auto& [plan, effects] = pass;
  if (plan.too_early) return Outcome::after(*plan.too_early);
  if (effects.gone) return Outcome::done();
  if (plan.rolls_back) {
    TRY(none_failed(effects.errors));
    return Outcome::done();
  }
  auto after = report(seen, plan, effects);
  const Outcome contested = report_contests(contests_, deps_, *effects.deployment, after);
  record_events(seen, plan, after);
  const auto written = write_status(with, *effects.deployment, after);
  TRY(none_failed(effects.errors));
  TRY(written);
  return contested.or_sooner(Outcome::after(plan.recheck))
      .or_sooner(Outcome::after(effects.recheck))
      .or_sooner(Outcome::after(progress_due_in(seen, after)));
}

Reconciler::Pass Reconciler::decide_and_act(const ActContext& with, Observation& seen) {
  Plan plan = decide(seen);
  if (plan.needs_count) {
    safety::count_governed(deps_.caches, seen.stored->metadata.namespace_.view(), seen.deletion_rules);
    plan = decide(seen);
  }
  if (plan.too_early) return {.plan = std::move(plan)};
  for (const Note& note : plan.notes)
    with.context.log.debug("decided", {{"machineSet", note.about}, {"why", note.text}});
  log_plan(with.context.log, plan);
  Effects effects = act(with, memory_, seen, plan);
  std::ranges::copy(effects.held, std::back_inserter(plan.held));
  return {.plan = std::move(plan), .effects = std::move(effects)};
}

Result<bool> Reconciler::write_status(const ActContext& with, const api::MachineDeployment& before,
                                      const api::MachineDeployment& after) {
  return controllers::write_status(with, deps_.caches.machine_deployments, before, after, owned());
}

// Once per fault and not in every turn: when the condition begins to say it.
void Reconciler::record_events(const Observation& seen, const Plan& plan,
                               const api::MachineDeployment& after) {
  const auto about =
      runtime::reference_to(kube::resource_of<api::MachineDeployment>(), seen.stored->metadata);
  safety::record_freeze(deps_.events, about, seen.stored->status.conditions, after.status.conditions);
  record_lost_rollout(about, seen);
  const auto message = [](const api::MachineDeployment& deployment) {
    const auto scaling_up = api::conditions::find(deployment.status.conditions, api::condition::kScalingUp);
    return scaling_up == nullptr ? std::string_view() : scaling_up->message.view();
  };
  if (plan.faults.empty() || message(*seen.stored) == message(after)) return;
  std::vector<Note> notes;
  for (const Fault& fault : plan.faults) {
    if (!fault.remedy.empty()) notes.push_back({.code = api::NoteCode::RolloutBlocked, .text = fault.remedy});
  }
  record_notes(deps_.events, about, notes);
}

// Only by a list of policies that is complete: before that each of them seems to be gone.
void Reconciler::record_lost_rollout(const api::ObjectReference& about, const Observation& seen) {
  const std::string words = lost_rollout_in_words(seen);
  if (words.empty() || !deps_.caches.machine_lifecycle_policies.synced()) return;
  record_note(deps_.events, about, {.code = api::NoteCode::RolloutPolicyGone, .text = words});
}

}  // namespace capstan::controllers::machinedeployment
