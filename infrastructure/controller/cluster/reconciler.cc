#include "infrastructure/controller/cluster/reconciler.h"

#include "infrastructure/controller/cluster/act.h"
#include "infrastructure/controller/cluster/decide.h"
#include "infrastructure/controller/cluster/observe.h"
#include "infrastructure/controller/cluster/orphans.h"
#include "infrastructure/controller/cluster/report.h"
#include "infrastructure/controller/turn_steps.h"

namespace capstan::infrastructure::cluster {

using runtime::Outcome;

Result<Outcome> Reconciler::reconcile(const runtime::Context& context, const ObjectKey& key) {
  const auto seen = observe({.deps = deps_, .context = context}, memory_, key);
  if (seen) return take_turn({.deps = deps_, .consistency = *consistency_, .context = context}, *seen);
  forget(key);
  return Outcome::done();
}

void Reconciler::forget(const ObjectKey& key) {
  memory_.ensured.with([&](auto& keys) { keys.erase(key); });
}

Result<Outcome> Reconciler::take_turn(const ActContext& with, const Observation& seen) {
  const Plan plan = decide(seen);
  if (!plan.actions.empty()) with.context.log.debug("decided", {{"plan", describe(plan)}});
  const Effects effects = act(with, seen, plan);
  if (effects.provided) remember(seen);
  if (effects.released) {
    record_events({.after = *seen.object, .notes = last_notes_of_orphans(seen.object->status)});
    return Outcome::done();
  }
  const api::DriverCluster& before = effects.object ? *effects.object : *seen.object;
  const Reported reported = report(seen, plan, effects);
  if (TRY(write_status(with, deps_.caches.driver_clusters, before, reported.after))) record_events(reported);
  if (effects.error) return fail(*effects.error);
  if (effects.trouble) return Outcome::after(effects.trouble->retry);
  return Outcome::after(plan.recheck);
}

void Reconciler::remember(const Observation& seen) {
  memory_.ensured.with([&](auto& keys) { keys.insert(runtime::key_of(*seen.object)); });
}

void Reconciler::record_events(const Reported& reported) {
  runtime::record_notes(
      deps_.events, runtime::reference_to(kube::resource_of<api::DriverCluster>(), reported.after.metadata),
      reported.notes);
}

}  // namespace capstan::infrastructure::cluster
