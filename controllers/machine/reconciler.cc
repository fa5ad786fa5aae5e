#include "controllers/machine/reconciler.h"

#include <algorithm>

#include "base/try.h"
#include "controllers/machine/deletion_facts.h"
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

}  // namespace

Reconciler::Reconciler(const Deps& deps, Settings settings)
    : deps_(deps), settings_(std::move(settings)), node_writes_(deps.clock), deleter_(deps) {}

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
  if (!in_scope(machine->metadata, deps_.watch_filter)) return Outcome::done();
  const auto cluster = deps_.caches.cluster_of(machine->metadata.namespace_, machine->spec.cluster_name);
  const auto pause = runtime::paused(cluster && cluster->spec.paused.value_or(false), machine->metadata,
                                     api::kind::kMachine);
  if (pause.paused) return hold_still(context, *machine, pause);
  return go_on(context, observe(deps_, *host_, context.fresh, machine));
}

void Reconciler::forget(const kube::ObjectKey& key) {
  deleter_.forget(key);
  node_writes_.forget(key);
}

// Nothing but the finalizer and the condition that says why.
Result<Outcome> Reconciler::hold_still(const runtime::Context& context, const api::Machine& machine,
                                       const runtime::Paused& pause) {
  const Time now = Time::from(deps_.clock.now());
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

Result<Outcome> Reconciler::go_on(const runtime::Context& context, const Observation& seen) {
  const Plan plan = decide(seen, settings_);
  if (plan.too_early) return Outcome::after(*plan.too_early);
  if (seen.deleting()) return take_down(context, seen, plan);

  const Actor actor{.deps = deps_, .host = *host_, .node_writes = node_writes_, .context = context};
  auto written = write_machine(actor, seen, plan);
  // Without it nothing that follows would be true.
  if (!written) return ended({written.error()}, {});
  Done done{.machine = std::move(*written)};
  for (auto& tried :
       {write_claim(actor, done.machine, seen.bootstrap, plan.bootstrap.claim),
        write_claim(actor, done.machine, seen.infra, plan.infra.claim), write_node(actor, seen, plan)}) {
    if (!tried) done.errors.push_back(tried.error());
  }
  return finish(context, seen, plan, std::move(done));
}

Result<Outcome> Reconciler::finish(const runtime::Context& context, const Observation& seen, const Plan& plan,
                                   Done done) {
  const Report made = report(seen, plan, done, settings_);
  const auto changed = write_status(context, done.machine, made.machine, seen.now);
  if (!changed) done.errors.push_back(changed.error());
  tell(done.machine, plan.notes, changed.value_or(false));
  Outcome outcome;
  for (const auto& recheck : {plan.recheck, made.recheck}) {
    outcome = outcome.or_sooner(Outcome::after(recheck));
  }
  return ended(done.errors, outcome);
}

Result<Outcome> Reconciler::take_down(const runtime::Context& context, const Observation& seen,
                                      const Plan& plan) {
  auto known = deletion_facts(deps_, *host_, seen, plan);
  DeletionTurn turn = deleter_.turn(context, known.objects, std::move(known.facts));
  if (turn.may_go()) {
    tell(*seen.machine, plan.notes, false);
    TRY(runtime::drop_finalizer(deps_.client, host_->consistency, deps_.caches.machines, *seen.machine,
                                api::finalizer::kMachine, context.deadline));
    return Outcome::done();
  }
  Done done{.machine = *seen.machine,
            .deletion = DeletionReport{.reason = turn.step.reason,
                                       .message = turn.step.message,
                                       .marks = turn.step.marks,
                                       .older = older_conditions(turn.facts)}};
  if (turn.step.trouble) context.log.error("deletion is held up", {{"error", turn.step.trouble->describe()}});
  if (turn.step.trouble && !turn.step.recheck) done.errors.push_back(*turn.step.trouble);
  done.failed = turn.step.trouble.has_value();
  const Outcome next = Outcome::after(turn.step.recheck);
  const auto ended_as = finish(context, seen, plan, std::move(done));
  if (!ended_as) return ended_as;
  return next.or_sooner(*ended_as);
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

// Warnings repeat what a condition says: once per change is enough.
void Reconciler::tell(const api::Machine& machine, const std::vector<Note>& notes, bool status_changed) {
  for (const Note& note : notes) {
    if (note.warning && !status_changed) continue;
    deps_.events.record(runtime::reference_to(kube::resource_of<api::Machine>(), machine.metadata),
                        note.warning ? runtime::EventType::Warning : runtime::EventType::Normal, note.reason,
                        note.message);
  }
}

}  // namespace capstan::controllers::machine
