#include "controllers/cluster/reconciler.h"

#include "base/try.h"
#include "controllers/cluster/act.h"
#include "controllers/cluster/decide.h"
#include "controllers/cluster/observe.h"
#include "controllers/cluster/report.h"
#include "controllers/safety/freeze_events.h"
#include "controllers/shared/turn_steps.h"
#include "runtime/events.h"

namespace capstan::controllers::cluster {

using runtime::Outcome;

Reconciler::Reconciler(const Deps& deps, const Settings& settings)
    : deps_(deps), memory_(deps.clock, deps.client, settings) {}

Result<Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  const auto seen = observe({.deps = deps_, .host = *host_, .context = context}, memory_, key);
  if (!seen) {
    memory_.forget(key);
    contests_.forget(key);
    return Outcome::done();
  }
  return take_turn(context, *seen);
}

Result<Outcome> Reconciler::take_turn(const runtime::Context& context, const Observation& seen) {
  const Plan plan = decide(seen);
  if (plan.too_early) return Outcome::after(*plan.too_early);
  const ActContext with{.deps = deps_, .host = *host_, .contests = contests_, .context = context};
  log_plan(context.log, plan);
  const Effects effects = act(with, memory_, seen, plan);
  record_events(*seen.cluster, effects.notes);  // once, whatever becomes of the status
  if (effects.lacks_finalizer) return fail(effects.errors.front());
  api::Cluster after = report(seen, plan, effects);
  const auto contested = report_contests(contests_, deps_, *seen.cluster, after);
  if (!effects.gone)
    TRY(write_status(with, deps_.caches.clusters, effects.cluster, after,
                     {.types = owned_conditions(), .v1beta1_types = owned_v1beta1_conditions()}));
  record_events(*seen.cluster, plan.notes);
  if (!effects.gone) record_events(*seen.cluster, news(*seen.cluster, after));
  safety::record_freeze(deps_.events,
                        runtime::reference_to(kube::resource_of<api::Cluster>(), seen.cluster->metadata),
                        seen.cluster->status.conditions, after.status.conditions);
  TRY(none_failed(effects.errors));
  return contested.or_sooner(Outcome::after(plan.recheck)).or_sooner(Outcome::after(effects.recheck));
}

void Reconciler::record_events(const api::Cluster& cluster, std::span<const Note> notes) {
  if (notes.empty()) return;
  record_notes(deps_.events, runtime::reference_to(kube::resource_of<api::Cluster>(), cluster.metadata),
               notes);
}

}  // namespace capstan::controllers::cluster
