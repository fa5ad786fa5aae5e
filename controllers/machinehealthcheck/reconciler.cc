#include "controllers/machinehealthcheck/reconciler.h"

#include "base/try.h"
#include "controllers/machinehealthcheck/act.h"
#include "controllers/machinehealthcheck/decide.h"
#include "controllers/machinehealthcheck/observe.h"
#include "controllers/machinehealthcheck/report.h"
#include "controllers/shared/turn_steps.h"
#include "runtime/events.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

constexpr Nanoseconds kBetweenGoodNews = std::chrono::milliseconds(1);

}  // namespace

Result<runtime::Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  const auto seen = observe({.deps = deps_, .host = *host_, .context = context}, memory_, key);
  if (seen) return take_turn(context, *seen);
  forget(key);
  return runtime::Outcome::done();
}

void Reconciler::forget(const kube::ObjectKey& key) {
  contests_.forget(key);
  memory_.forget(key);
}

Result<runtime::Outcome> Reconciler::take_turn(const runtime::Context& context, const Observation& seen) {
  const ActContext with{.deps = deps_, .host = *host_, .contests = contests_, .context = context};
  const Plan plan = decide(seen);
  log_plan(context.log, plan);
  const Effects effects = act(with, memory_, seen, plan);
  auto after = report(seen, plan, effects);
  const runtime::Outcome contested = report_contests(contests_, deps_, *seen.check, after);
  const auto written = write_report(with, plan, effects, after);
  // While one Machine makes the check back off, the deadlines of the others go on.
  const bool failed = !written || !effects.errors.empty();
  if (failed && plan.recheck) host_->queue.add_after(runtime::key_of(*seen.check), *plan.recheck);
  TRY(written);
  TRY(none_failed(effects.errors));
  runtime::Outcome outcome =
      contested.or_sooner({.again = plan.recheck}).or_sooner({.again = effects.recheck});
  if (!plan.waiting.empty()) outcome = outcome.or_sooner(runtime::Outcome::after(kBetweenGoodNews));
  return outcome;
}

// Events only with a status that was written: one that failed is tried again, and its news come then.
Result<void> Reconciler::write_report(const ActContext& with, const Plan& plan, const Effects& effects,
                                      const api::MachineHealthCheck& after) {
  const bool written =
      TRY(write_status(with, deps_.caches.machine_health_checks, effects.check, after,
                       {.types = owned_conditions(), .v1beta1_types = owned_v1beta1_conditions()}));
  if (written) record_events(plan, effects, after);
  return {};
}

void Reconciler::record_events(const Plan& plan, const Effects& effects,
                               const api::MachineHealthCheck& after) {
  record_notes(deps_.events,
               runtime::reference_to(kube::resource_of<api::MachineHealthCheck>(), after.metadata),
               news(plan, effects.check, after));
}

}  // namespace capstan::controllers::machinehealthcheck
