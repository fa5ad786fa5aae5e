#include "controllers/machinedeployment/reconciler.h"

#include <algorithm>
#include <iterator>

#include "api/conditions/conditions.h"
#include "base/clock.h"
#include "controllers/machinedeployment/decide.h"
#include "controllers/machinedeployment/observe.h"
#include "controllers/machinedeployment/report.h"
#include "controllers/machinedeployment/settled.h"
#include "controllers/shared/status_patch.h"
#include "runtime/finalizers.h"
#include "runtime/paused.h"

namespace capstan::controllers::machinedeployment {

using runtime::Outcome;

namespace {

// A policy that refused an adoption is not asked again with every turn.
constexpr Nanoseconds kRefusalHolds = Seconds(60);

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
  auto seen = TRY(observe(deps_, *host_, context, key));
  if (!seen) {
    refusals_.with([&](auto& all) { all.erase(key); });
    waiting_.with([&](auto& all) { all.erase(key); });
    return Outcome::done();
  }
  recall(key, *seen);
  note_waiting(key, *seen);
  const bool held = TRY(is_held(context, *seen));
  if (held) return Outcome::done();
  Pass pass = decide_and_act(context, *seen);
  remember(key, pass.effects);
  if (learn(*seen, pass.effects)) pass = decide_and_act(context, *seen);
  const auto& [plan, effects] = pass;
  if (plan.too_early) return Outcome::after(plan.recheck);
  if (effects.gone) return Outcome::done();
  auto after = report(*seen, plan, *effects.deployment, effects.failed());
  const Outcome contested = report_contests(contests_, deps_, *effects.deployment, after);
  tell_faults(*seen, plan, after);
  const auto written = write_status(context, *effects.deployment, after);
  if (effects.failed()) return fail(effects.errors.front());
  if (!written) return fail(written.error());
  return contested.or_sooner(Outcome::after(plan.recheck));
}

void Reconciler::remember(const kube::ObjectKey& key, const Effects& effects) {
  const SteadyTime until = deps_.clock.steady_now() + kRefusalHolds;
  refusals_.with([&](auto& all) {
    for (const Unadopted& each : effects.unadopted) {
      if (each.refused) all[key].push_back({.what = each, .until = until});
    }
  });
}

void Reconciler::recall(const kube::ObjectKey& key, Observation& seen) {
  const SteadyTime now = deps_.clock.steady_now();
  refusals_.with([&](auto& all) {
    const auto found = all.find(key);
    if (found == all.end()) return;
    std::erase_if(found->second, [&](const Refusal& refusal) { return now >= refusal.until; });
    for (const Refusal& refusal : found->second) {
      const auto gone = std::erase_if(
          seen.orphans, [&](const auto& orphan) { return orphan->metadata.uid == refusal.what.uid; });
      if (gone > 0) seen.unadopted.push_back(refusal.what);
    }
    if (found->second.empty()) all.erase(found);
  });
}

void Reconciler::note_waiting(const kube::ObjectKey& key, Observation& seen) {
  waiting_.with([&](auto& all) {
    const auto known = all.find(key);
    for (const auto& set : seen.sets) {
      if (is_settled(*set)) continue;
      Waiting waiting{.set = set->metadata.uid, .since = seen.now};
      if (known != all.end()) {
        const auto before = std::ranges::find(known->second, waiting.set, &Waiting::set);
        if (before != known->second.end()) waiting.since = before->since;
      }
      seen.waiting.push_back(waiting);
    }
    if (!seen.waiting.empty()) {
      all[key] = seen.waiting;
    } else if (known != all.end()) {
      all.erase(known);
    }
  });
}

Reconciler::Pass Reconciler::decide_and_act(const runtime::Context& context, const Observation& seen) {
  Plan plan = decide(seen);
  if (plan.too_early) return {.plan = std::move(plan)};
  for (const Note& note : plan.notes) {
    context.log.debug("decided", {{"machineSet", note.about}, {"why", note.text}});
  }
  Effects effects =
      act({.deps = deps_, .host = *host_, .contests = contests_, .context = context}, seen, plan);
  return {.plan = std::move(plan), .effects = std::move(effects)};
}

// A paused deployment gets its finalizer and the condition that says so, and is left alone.
Result<bool> Reconciler::is_held(const runtime::Context& context, const Observation& seen) {
  const api::MachineDeployment& stored = *seen.stored;
  const bool cluster_paused = seen.cluster && seen.cluster->spec.paused.value_or(false);
  const auto pause = runtime::paused(cluster_paused, stored.metadata, api::kind::kMachineDeployment);
  const auto verdict =
      runtime::judge_pause(pause, stored.status.conditions, stored.metadata.generation, seen.now);
  if (!pause.paused) return false;  // the report at the end of the turn says so
  const auto step =
      TRY(runtime::ensure_finalizer(deps_.client, host_->consistency, deps_.caches.machine_deployments,
                                    stored, api::finalizer::kMachineDeployment, context.deadline));
  if (step == runtime::FinalizerStep::Added || verdict.step == runtime::PauseStep::Stop) return true;
  api::MachineDeployment after = stored;
  after.status.conditions = verdict.conditions;
  TRY(write_status(context, stored, after));
  return true;
}

Result<void> Reconciler::write_status(const runtime::Context& context, const api::MachineDeployment& before,
                                      const api::MachineDeployment& after) {
  const auto written = patch_status(
      deps_.client, before, after, {.types = owned_conditions(), .v1beta1_types = owned_v1beta1_conditions()},
      Time::from(deps_.clock.now()), context.deadline);
  if (!written) {
    const bool gone = written.error().code == Code::NotFound && before.metadata.deleting();
    if (gone) return {};
    return fail(written.error());
  }
  if (*written) {
    host_->consistency.wrote(kube::key_of(before), deps_.caches.machine_deployments,
                             (*written)->metadata.resource_version);
  }
  return {};
}

// Once per fault and not in every turn: when the condition begins to say it.
void Reconciler::tell_faults(const Observation& seen, const Plan& plan, const api::MachineDeployment& after) {
  const auto message = [](const api::MachineDeployment& deployment) {
    const auto scaling_up = api::conditions::find(deployment.status.conditions, api::condition::kScalingUp);
    return scaling_up == nullptr ? std::string_view() : scaling_up->message.view();
  };
  if (plan.faults.empty() || message(*seen.stored) == message(after)) return;
  for (const Fault& fault : plan.faults) {
    if (fault.remedy.empty()) continue;
    deps_.events.record(
        runtime::reference_to(kube::resource_of<api::MachineDeployment>(), seen.stored->metadata),
        runtime::EventType::Warning, kBlockedEvent, fault.remedy);
  }
}

}  // namespace capstan::controllers::machinedeployment
