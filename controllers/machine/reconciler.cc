#include "controllers/machine/reconciler.h"

#include <fmt/format.h>

#include "api/conditions/conditions.h"
#include "api/policy/names.h"
#include "base/try.h"
#include "controllers/lifecycle/node_template_rules.h"
#include "controllers/machine/act.h"
#include "controllers/machine/decide.h"
#include "controllers/machine/deletion_facts.h"
#include "controllers/machine/lost_node.h"
#include "controllers/machine/observe.h"
#include "controllers/machine/preservation_drain.h"
#include "controllers/machine/preservation_steps.h"
#include "controllers/machine/report.h"
#include "controllers/shared/pause.h"
#include "controllers/shared/turn_steps.h"
#include "kube/typed.h"
#include "runtime/note.h"
#include "runtime/paused.h"

namespace capstan::controllers::machine {
namespace {

using runtime::Outcome;

OwnedConditions owned() { return {.types = owned_conditions(), .v1beta1_types = owned_v1beta1_conditions()}; }

// That Node is written already; the other notes are recorded with the status that says the same.
bool is_recorded_at_once(api::NoteCode code) { return code == api::NoteCode::NodeBecameInterruptible; }

// Its deletion is over as far as this controller is concerned.
bool is_done_with(const api::Machine& machine) {
  return machine.metadata.deleting() && !machine.metadata.has_finalizer(api::finalizer::kMachine);
}

bool is_ready(const api::Machine& machine) {
  return api::conditions::is_true(machine.status.conditions, api::condition::kReady);
}

// News of a Machine on its way, or of one that is about to be gone; whether it works, and what holds it up,
// is written at once.
bool can_wait(const Effects& effects, const api::Machine& after) {
  const api::Machine& before = effects.machine;
  if (before.status == after.status) return false;
  if (effects.deletion) return effects.deletion->under_way;
  return !is_ready(before) && !is_ready(after);
}

Effects effects_of(const DeletionTurn& turn, const Observation& seen) {
  return {.machine = *seen.machine,
          .failed = turn.step.trouble.has_value(),
          .deletion = DeletionReport{.reason = turn.step.reason,
                                     .message = turn.step.message,
                                     .marks = turn.step.marks,
                                     .older = v1beta1_conditions(turn.facts),
                                     .under_way = turn.waits_for_provider()}};
}

// After the write to the Node: one that failed is tried again, and has its Event then.
void record_forgotten_template(runtime::EventRecorder& events, const Observation& seen, const Plan& plan,
                               const Effects& effects) {
  if (!plan.node_template || !plan.node_template->forgotten || !effects.errors.empty()) return;
  record_note(
      events, runtime::reference_to(kube::resource_of<api::Machine>(), effects.machine.metadata),
      {.code = api::NoteCode::NodeTemplateForgotten,
       .text = fmt::format(
           "annotation {} of Node {} could not be read and was replaced: what spec.nodeTemplate gave before "
           "and wants no more stays there",
           api::policy::annotation::kNodeTemplate, seen.node.node->metadata.name.view())});
}

void record_release(runtime::EventRecorder& events, const Observation& seen, const api::Machine& after) {
  const std::string words = release_in_words(seen, after);
  if (words.empty()) return;
  record_note(events, runtime::reference_to(kube::resource_of<api::Machine>(), after.metadata),
              {.code = api::NoteCode::PreservationReleased, .text = words});
}

Step finalizer_stays(const Error& why, const Step& step) {
  return {
      .stage = Stage::RemoveFinalizer,
      .reason = api::reason::kInternalError,
      .message = "Failed to remove the finalizer, please check controller logs for errors\n* " + why.message,
      .trouble = why,
      .marks = step.marks};
}

}  // namespace

Reconciler::Reconciler(const Deps& deps, Settings settings)
    : deps_(deps), memory_(deps.clock, std::move(settings)), deleter_(deps) {}

void Reconciler::bind(const Host& host) {
  host_.emplace(host);
  deleter_.bind(host);
}

Result<Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  const auto machine = deps_.caches.machines.get(key);
  if (!machine) {
    forget(key);
    return Outcome::done();
  }
  if (!in_scope(machine->metadata, deps_.watch_filter)) {
    deleter_.interrupt(key);
    return Outcome::done();
  }
  const auto belonging = belonging_of(deps_.caches, *machine);
  const auto cluster = deps_.caches.cluster_of(machine->metadata.namespace_, belonging.cluster);
  const auto pause = pause_of(cluster.get(), machine->metadata, api::kind::kMachine);
  const ActContext with{.deps = deps_, .host = *host_, .contests = memory_.contests, .context = context};
  if (pause.paused) return hold_still(with, *machine, pause);
  return take_turn(with, observe({.deps = deps_, .host = *host_, .context = context}, memory_, machine));
}

void Reconciler::forget(const kube::ObjectKey& key) {
  deleter_.forget(key);
  memory_.forget(key);
}

Result<Outcome> Reconciler::hold_still(const ActContext& with, const api::Machine& machine,
                                       const runtime::Paused& pause) {
  deleter_.interrupt(kube::key_of(machine));
  return keep_still(with, deps_.caches.machines, machine,
                    {.finalizer = api::finalizer::kMachine, .pause = pause, .owned = owned()});
}

Result<Outcome> Reconciler::take_turn(const ActContext& with, Observation seen) {
  look_for_lost_node({.deps = deps_, .host = *host_, .context = with.context}, seen);
  const Plan plan = decide(seen);
  if (plan.too_early) return Outcome::after(*plan.too_early);
  if (is_done_with(*seen.machine)) return Outcome::done();
  log_plan(with.context.log, plan);
  Effects effects = act(with, memory_, seen, plan);
  if (effects.stopped) return ended(effects.errors, {});
  if (!seen.deleting()) {
    empty_preserved(with, seen, plan, effects);
    return finish(with, seen, plan, std::move(effects));
  }

  // Whatever is refused for good holds up no deletion.
  for (const Error& error : effects.errors)
    with.context.log.info("not taken over before it goes", {{"error", error}});
  seen.machine = std::make_shared<const api::Machine>(std::move(effects.machine));
  return take_deletion_turn(with, seen, plan);
}

Result<Outcome> Reconciler::finish(const ActContext& with, const Observation& seen, const Plan& plan,
                                   Effects effects) {
  record_release(deps_.events, seen, effects.machine);
  Report made = report(seen, plan, effects);
  Outcome outcome = report_contests(memory_.contests, deps_, effects.machine, made.machine);
  for (const auto& recheck : {plan.recheck, made.recheck}) {
    outcome = outcome.or_sooner(Outcome::after(recheck));
  }
  if (effects.emptying) {
    constexpr Seconds kSoon{1};
    outcome = outcome.or_sooner(Outcome::after(effects.emptying->done ? kSoon : effects.emptying->recheck));
  }
  const auto key = kube::key_of(effects.machine);
  if (can_wait(effects, made.machine)) {
    if (const auto left = memory_.gather.wait(key)) {
      record_events(effects.machine, plan.notes, false);
      return ended(effects.errors, outcome.or_sooner(Outcome::after(*left)));
    }
  }
  memory_.gather.over(key);
  const auto written = write_status(with, deps_.caches.machines, effects.machine, made.machine, owned());
  if (!written) effects.errors.push_back(written.error());
  record_events(effects.machine, plan.notes, written.value_or(false));
  record_forgotten_template(deps_.events, seen, plan, effects);
  return ended(effects.errors, outcome);
}

// One turn of the drain of a preserved Machine's Node. That it is over is written with the next turn.
void Reconciler::empty_preserved(const ActContext& with, const Observation& seen, const Plan& plan,
                                 Effects& effects) {
  const api::Uid& machine = seen.machine->metadata.uid;
  const auto since = preservation_drain_since(effects.machine);
  if (!since || !seen.node.found()) {
    if (!since) memory_.emptied.erase(machine);
    return deleter_.forget(kube::key_of(*seen.machine));
  }
  effects.emptying = drain_preserved(with, seen, plan, *since);
  if (effects.emptying->done) memory_.emptied.add(machine);
}

drain::StageReport Reconciler::drain_preserved(const ActContext& with, const Observation& seen,
                                               const Plan& plan, Time since) {
  constexpr Seconds kHeldRecheck{15};
  const auto held = deps_.brake.ask(runtime::Intent::Evict,
                                    {.kind = api::kind::kMachine, .key = kube::key_of(*seen.machine)});
  if (!held.why.empty()) return {.message = "it is held: " + held.why, .recheck = kHeldRecheck};
  auto known = deletion_facts({.deps = deps_, .host = *host_, .context = with.context}, seen, plan);
  known.facts.marks.node_drain_start_time = since;
  if (auto asked = drain::force_of_a_drain(seen.machine->metadata); !asked.empty())
    known.facts.choices.by_force = std::move(asked);
  return deleter_.empty(with, memory_, std::move(known.facts));
}

Result<Outcome> Reconciler::take_deletion_turn(const ActContext& with, Observation& seen, const Plan& plan) {
  const ObserveContext looking{.deps = deps_, .host = *host_, .context = with.context};
  const auto looked = look_at_unreadable(looking, memory_.live_looks, seen);
  if (!looked) with.context.log.info("object that can't be read: no answer", {{"error", looked.error()}});
  auto known = deletion_facts(looking, seen, plan);
  DeletionTurn turn = deleter_.turn(with, memory_, known.objects, std::move(known.facts));
  if (turn.may_go()) {
    const auto gone = let_go(with, seen, plan, turn);
    if (gone) return Outcome::done();
    if (gone.error().code == Code::Conflict) return fail(gone.error());
    turn.step = finalizer_stays(gone.error(), turn.step);
  }
  Effects effects = effects_of(turn, seen);
  // No error of ours: the condition says what the Machine waits for.
  if (turn.step.trouble)
    with.context.log.info("deletion is held up", {{"error", turn.step.trouble->describe()}});
  if (turn.step.trouble && !turn.step.recheck) effects.errors.push_back(*turn.step.trouble);
  const auto reported = TRY(finish(with, seen, plan, std::move(effects)));
  return Outcome::after(turn.step.recheck).or_sooner(reported);
}

// Where finalizers of others keep the Machine for them to see, its status says that the deletion is
// completed; but a status that is refused holds up nothing.
Result<void> Reconciler::let_go(const ActContext& with, const Observation& seen, const Plan& plan,
                                const DeletionTurn& turn) {
  if (seen.machine->metadata.finalizers->size() > 1) {
    const auto reported = finish(with, seen, plan, effects_of(turn, seen));
    if (!reported)
      with.context.log.info("status of a completed deletion: not written", {{"error", reported.error()}});
  }
  return end_deletion(with, deps_.caches.machines, *seen.machine, api::finalizer::kMachine);
}

void Reconciler::record_events(const api::Machine& machine, const std::vector<Note>& notes,
                               bool status_written) {
  std::vector<Note> due = notes;
  if (!status_written) std::erase_if(due, [](const Note& note) { return !is_recorded_at_once(note.code); });
  record_notes(deps_.events, runtime::reference_to(kube::resource_of<api::Machine>(), machine.metadata), due);
}

}  // namespace capstan::controllers::machine
