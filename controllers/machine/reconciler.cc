#include "controllers/machine/reconciler.h"

#include <algorithm>

#include "api/conditions/conditions.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "controllers/machine/decide.h"
#include "controllers/machine/deletion_facts.h"
#include "controllers/machine/observe.h"
#include "controllers/machine/ready_summary.h"
#include "controllers/shared/status_patch.h"
#include "kube/typed.h"
#include "runtime/finalizers.h"
#include "runtime/paused.h"

namespace capstan::controllers::machine {
namespace {

using runtime::Outcome;

// Somebody was faster: the event of that write brings the next turn, this is for when it has come already.
constexpr Nanoseconds kAfterConflict = std::chrono::milliseconds(200);

// Errors of a turn become its end; a lost race is no failure.
Result<Outcome> ended(const std::vector<Error>& errors, const Outcome& otherwise) {
  const auto real =
      std::ranges::find_if(errors, [](const Error& error) { return error.code != Code::Conflict; });
  if (real != errors.end()) return fail(*real);
  if (!errors.empty()) return Outcome::after(kAfterConflict);
  return otherwise;
}

bool is_ready(const api::Machine& machine) {
  return api::conditions::is_true(machine.status.conditions, api::condition::kReady);
}

// News of a Machine on its way, or of one that is about to be gone; whether it works, and what holds it up,
// is told at once.
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
    : deps_(deps),
      settings_(std::move(settings)),
      node_writes_(deps.clock),
      gather_(deps.clock, settings_.gather),
      deleter_(deps),
      live_looks_(deps.clock) {}

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
  const auto pause = runtime::paused(cluster && cluster->spec.paused.value_or(false), machine->metadata,
                                     api::kind::kMachine);
  if (pause.paused) return hold_still(context, *machine, pause);
  return take_turn(context, observe(deps_, *host_, context.fresh, machine));
}

void Reconciler::forget(const kube::ObjectKey& key) {
  deleter_.forget(key);
  live_looks_.forget(key);
  node_writes_.forget(key);
  contests_.forget(key);
  gather_.over(key);
}

// Nothing but the finalizer and the condition that says why.
Result<Outcome> Reconciler::hold_still(const runtime::Context& context, const api::Machine& machine,
                                       const runtime::Paused& pause) {
  const Time now = Time::from(deps_.clock.now());
  deleter_.interrupt(kube::key_of(machine));
  const auto step = TRY(runtime::ensure_finalizer(deps_.client, host_->consistency, deps_.caches.machines,
                                                  machine, api::finalizer::kMachine, context.deadline));
  if (step == runtime::FinalizerStep::Added) return Outcome::done();
  auto verdict = runtime::judge_pause(pause, machine.status.conditions, machine.metadata.generation, now);
  if (verdict.step == runtime::PauseStep::Stop) return Outcome::done();
  api::Machine after = machine;
  after.status.conditions = std::move(verdict.conditions);
  TRY(write_status(context, machine, after, now));
  return Outcome::done();
}

Result<Outcome> Reconciler::take_turn(const runtime::Context& context, const Observation& seen) {
  const Plan plan = decide(seen, settings_);
  if (plan.too_early) return Outcome::after(*plan.too_early);
  if (seen.deleting()) return take_deletion_turn(context, seen, plan);

  const ActContext with{
      .deps = deps_, .host = *host_, .node_writes = node_writes_, .contests = contests_, .context = context};
  auto written = write_machine(with, seen, plan);
  // Without it nothing that follows would be true.
  if (!written) return ended({written.error()}, {});
  written->spec.cluster_name = seen.machine->spec.cluster_name;
  Effects effects{.machine = std::move(*written)};
  for (auto& tried :
       {write_claim(with, effects.machine, seen.bootstrap, plan.bootstrap.claim),
        write_claim(with, effects.machine, seen.infra, plan.infra.claim), write_node(with, seen, plan)}) {
    if (!tried) effects.errors.push_back(tried.error());
  }
  return finish(context, seen, plan, std::move(effects));
}

Result<Outcome> Reconciler::finish(const runtime::Context& context, const Observation& seen, const Plan& plan,
                                   Effects effects) {
  Report made = report(seen, plan, effects, settings_);
  Outcome outcome = report_contests(contests_, deps_, effects.machine, made.machine);
  for (const auto& recheck : {plan.recheck, made.recheck}) {
    outcome = outcome.or_sooner(Outcome::after(recheck));
  }
  const auto key = kube::key_of(effects.machine);
  if (can_wait(effects, made.machine)) {
    if (const auto left = gather_.wait(key)) {
      record_events(effects.machine, plan.notes, false);
      return ended(effects.errors, outcome.or_sooner(Outcome::after(*left)));
    }
  }
  gather_.over(key);
  const auto written = write_status(context, effects.machine, made.machine, seen.now);
  if (!written) effects.errors.push_back(written.error());
  record_events(effects.machine, plan.notes, written.value_or(false));
  return ended(effects.errors, outcome);
}

// Ownership and what leads to the Node are taken over on the way out, too: the Machine may have been deleted
// before it came to that. Whatever is refused for good holds up no deletion.
Result<Observation> Reconciler::take_over(const runtime::Context& context, const Observation& seen,
                                          const Plan& plan) {
  if (plan.bootstrap.claim || plan.infra.claim) TRY(make_sure_it_is_there(*seen.machine, context.deadline));
  const ActContext with{
      .deps = deps_, .host = *host_, .node_writes = node_writes_, .contests = contests_, .context = context};
  Observation after = seen;
  auto written = write_machine(with, seen, plan);
  if (!written && is_transient(written.error().code)) return fail(written.error());
  if (written) {
    written->spec.cluster_name = seen.machine->spec.cluster_name;
    after.machine = std::make_shared<const api::Machine>(std::move(*written));
  }
  for (const auto& claimed : {write_claim(with, *after.machine, seen.bootstrap, plan.bootstrap.claim),
                              write_claim(with, *after.machine, seen.infra, plan.infra.claim)}) {
    if (!claimed) context.log.info("not taken over before it goes", {{"error", claimed.error()}});
  }
  return after;
}

// Afterwards they are Found and `live`, Missing and `live`, or Undefined; what could not be found out stays
// Unreadable.
Result<void> Reconciler::look_at_unreadable(const runtime::Context& context, Observation& seen) {
  const api::Machine& machine = *seen.machine;
  for (ExternalSeen* external : {&seen.infra, &seen.bootstrap}) {
    if (external->state != ExternalSeen::State::Unreadable) continue;
    const auto& ref =
        external == &seen.infra ? machine.spec.infrastructure_ref : *machine.spec.bootstrap.config_ref;
    auto live = TRY(live_looks_.look(deps_.client, kube::key_of(machine), ref, context.deadline));
    external->live = live.state != LiveObject::State::Undefined;
    external->resource = std::move(live.resource);
    switch (live.state) {
      case LiveObject::State::Undefined: external->state = ExternalSeen::State::Undefined; break;
      case LiveObject::State::Gone: external->state = ExternalSeen::State::Missing; break;
      case LiveObject::State::Present:
        external->state = ExternalSeen::State::Found;
        external->object = std::make_shared<const api::contract::ContractObject>(
            api::contract::ContractObject{.metadata = std::move(live.metadata)});
        break;
    }
  }
  return {};
}

// What it takes over it deletes, too. Another Machine of that name may be about to come, and its objects
// before it, while the cache still has the one that was there.
Result<void> Reconciler::make_sure_it_is_there(const api::Machine& machine, const Deadline& deadline) {
  if (is_off(Safeguard::StillThere)) return {};
  const auto live = kube::get<api::Machine>(deps_.client, kube::key_of(machine), deadline);
  if (live && live->metadata.uid == machine.metadata.uid) return {};
  if (live || live.error().code == Code::NotFound) return fail(Code::Conflict, "the Machine is gone by now");
  return fail(live.error());
}

Result<Outcome> Reconciler::take_deletion_turn(const runtime::Context& context, const Observation& before,
                                               const Plan& plan) {
  if (!before.machine->metadata.has_finalizer(api::finalizer::kMachine)) return Outcome::done();
  auto taken_over = take_over(context, before, plan);
  if (!taken_over) return ended({taken_over.error()}, {});
  Observation& seen = *taken_over;
  const auto looked = look_at_unreadable(context, seen);
  if (!looked) context.log.info("object that can't be read: no answer", {{"error", looked.error()}});
  auto known = deletion_facts(deps_, *host_, seen, plan);
  DeletionTurn turn = deleter_.turn(context, known.objects, std::move(known.facts));
  if (turn.may_go()) {
    // It stays for others to see; but a status that is refused holds up nothing.
    if (seen.machine->metadata.finalizers->size() > 1) {
      const auto reported = finish(context, seen, plan, effects_of(turn, seen));
      if (!reported)
        context.log.info("status of a completed deletion: not written", {{"error", reported.error()}});
    }
    const auto dropped = runtime::drop_finalizer(deps_.client, host_->consistency, deps_.caches.machines,
                                                 *seen.machine, api::finalizer::kMachine, context.deadline);
    if (dropped) return Outcome::done();
    if (dropped.error().code == Code::Conflict) return fail(dropped.error());
    turn.step = finalizer_stays(dropped.error(), turn.step);
  }
  Effects effects = effects_of(turn, seen);
  if (turn.step.trouble) context.log.error("deletion is held up", {{"error", turn.step.trouble->describe()}});
  if (turn.step.trouble && !turn.step.recheck) effects.errors.push_back(*turn.step.trouble);
  const auto reported = TRY(finish(context, seen, plan, std::move(effects)));
  return Outcome::after(turn.step.recheck).or_sooner(reported);
}

// True when there was something to write.
Result<bool> Reconciler::write_status(const runtime::Context& context, const api::Machine& before,
                                      const api::Machine& after, Time now) {
  const auto written = patch_status(
      deps_.client, before, after, {.types = owned_conditions(), .v1beta1_types = owned_v1beta1_conditions()},
      now, context.deadline);
  if (!written && written.error().code == Code::NotFound) return false;  // gone meanwhile
  if (!written) return fail(written.error());
  if (!*written) return false;
  host_->consistency.wrote(kube::key_of(before), deps_.caches.machines,
                           (*written)->metadata.resource_version);
  return true;
}

void Reconciler::record_events(const api::Machine& machine, const std::vector<Note>& notes,
                               bool status_written) {
  for (const Note& note : notes) {
    if (!note.at_once && !status_written) continue;
    deps_.events.record(runtime::reference_to(kube::resource_of<api::Machine>(), machine.metadata),
                        note.warning ? runtime::EventType::Warning : runtime::EventType::Normal, note.reason,
                        note.message);
  }
}

}  // namespace capstan::controllers::machine
