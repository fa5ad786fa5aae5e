#include "bootstrap/controller/reconciler.h"

#include "base/try.h"
#include "bootstrap/controller/act.h"
#include "bootstrap/controller/decide.h"
#include "bootstrap/controller/observe.h"
#include "bootstrap/controller/report.h"
#include "kube/typed.h"

namespace capstan::bootstrap::controller {
namespace {

using runtime::Outcome;

constexpr Seconds kUntilUserActs{180};

}  // namespace

Result<Outcome> Reconciler::reconcile(const runtime::Context& context, const ObjectKey& key) {
  const auto seen = observe({.deps = deps_, .context = context}, key);
  if (!seen) return Outcome::done();
  return take_turn({.deps = deps_, .consistency = *consistency_, .context = context}, *seen);
}

Result<Outcome> Reconciler::take_turn(const ActContext& with, const Observation& seen) {
  if (seen.live && seen.live->error) return fail(*seen.live->error);
  const Plan plan = decide(seen);
  if (!plan.actions.empty()) with.context.log.debug("decided", {{"plan", describe(plan)}});
  const Effects effects = act(with, seen, plan);
  if (effects.object_changed && !effects.error) return Outcome::done();
  const Reported reported = report(seen, plan, effects);
  if (TRY(write_status(with, seen, reported))) record_events(reported);
  if (effects.error) return fail(*effects.error);
  if (!effects.taken.empty()) return Outcome::after(kUntilUserActs);
  return Outcome::after(plan.recheck);
}

// True when something was written.
Result<bool> Reconciler::write_status(const ActContext& with, const Observation& seen,
                                      const Reported& reported) {
  const Deps& deps = with.deps;
  const auto written =
      TRY(kube::patch_status(deps.client, *seen.object, reported.after, with.context.deadline));
  if (written)
    with.consistency.wrote(kube::key_of(*seen.object), deps.caches.cloud_configs,
                           written->metadata.resource_version);
  return written.has_value();
}

void Reconciler::record_events(const Reported& reported) {
  runtime::record_notes(deps_.events,
                        runtime::reference_to(kube::resource_of<api::CloudConfig>(), reported.after.metadata),
                        reported.notes);
}

}  // namespace capstan::bootstrap::controller
