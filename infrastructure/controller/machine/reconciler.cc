#include "infrastructure/controller/machine/reconciler.h"

#include "infrastructure/controller/machine/act.h"
#include "infrastructure/controller/machine/decide.h"
#include "infrastructure/controller/machine/observe.h"
#include "infrastructure/controller/machine/report.h"
#include "infrastructure/controller/turn_steps.h"

namespace capstan::infrastructure::machine {

using runtime::Outcome;

Result<Outcome> Reconciler::reconcile(const runtime::Context& context, const ObjectKey& key) {
  const auto seen = observe({.deps = deps_, .context = context}, key);
  if (seen) return take_turn({.deps = deps_, .consistency = *consistency_, .context = context}, *seen);
  forget(key);
  return Outcome::done();
}

// No doubt of this one may meet the next of its name.
void Reconciler::forget(const ObjectKey& key) { deps_.inventory.settle(key); }

Result<Outcome> Reconciler::take_turn(const ActContext& with, const Observation& seen) {
  const Plan plan = decide(seen);
  if (!plan.actions.empty()) with.context.log.debug("decided", {{"plan", describe(plan)}});
  const Effects effects = act(with, seen, plan);
  if (effects.verified) deps_.inventory.settle(runtime::key_of(*seen.object));
  if (effects.released) return Outcome::done();
  const api::DriverMachine& before = effects.object ? *effects.object : *seen.object;
  const Reported reported = report(seen, plan, effects);
  if (TRY(write_status(with, deps_.caches.driver_machines, before, reported.after))) record_events(reported);
  if (effects.error) return fail(*effects.error);
  if (effects.trouble) return Outcome::after(effects.trouble->retry);
  return Outcome::after(plan.recheck);
}

void Reconciler::record_events(const Reported& reported) {
  runtime::record_notes(
      deps_.events, runtime::reference_to(kube::resource_of<api::DriverMachine>(), reported.after.metadata),
      reported.notes);
}

}  // namespace capstan::infrastructure::machine
