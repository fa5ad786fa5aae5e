#include "bootstrap/nodeconfig/reconciler.h"

#include "base/try.h"
#include "bootstrap/nodeconfig/act.h"
#include "bootstrap/nodeconfig/decide.h"
#include "bootstrap/nodeconfig/observe.h"
#include "bootstrap/nodeconfig/report.h"
#include "kube/typed.h"

namespace capstan::bootstrap::nodeconfig {

using runtime::Outcome;

Result<Outcome> Reconciler::reconcile(const runtime::Context& context, const ObjectKey& key) {
  const auto seen = observe({.deps = deps_, .context = context}, key);
  if (!seen) return Outcome::done();
  return take_turn({.deps = deps_, .consistency = *consistency_, .context = context}, *seen);
}

Result<Outcome> Reconciler::take_turn(const ActContext& with, const Observation& seen) {
  const Plan plan = decide(seen);
  if (!plan.actions.empty()) with.context.log.debug("decided", {{"plan", describe(plan)}});
  const Effects effects = act(with, seen, plan);
  if (effects.error) return fail(*effects.error);
  if (effects.object_changed) return Outcome::done();
  const Reported reported = report(seen, plan);
  if (TRY(write_status(with, seen, reported))) record_events(reported);
  return Outcome::after(plan.recheck);
}

// True when something was written.
Result<bool> Reconciler::write_status(const ActContext& with, const Observation& seen,
                                      const Reported& reported) {
  const Deps& deps = with.deps;
  const auto written =
      TRY(kube::patch_status(deps.client, *seen.object, reported.after, with.context.deadline));
  if (written)
    with.consistency.wrote(kube::key_of(*seen.object), deps.caches.node_configs,
                           written->metadata.resource_version);
  return written.has_value();
}

void Reconciler::record_events(const Reported& reported) {
  runtime::record_notes(deps_.events,
                        runtime::reference_to(kube::resource_of<api::NodeConfig>(), reported.after.metadata),
                        reported.notes);
}

}  // namespace capstan::bootstrap::nodeconfig
