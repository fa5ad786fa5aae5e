#include "controllers/fleetpolicy/reconciler.h"

#include "base/try.h"
#include "controllers/fleetpolicy/act.h"
#include "controllers/fleetpolicy/decide.h"
#include "controllers/fleetpolicy/observe.h"
#include "controllers/fleetpolicy/report.h"
#include "controllers/shared/turn_steps.h"
#include "kube/typed.h"

namespace capstan::controllers::fleetpolicy {
namespace {

constexpr Seconds kStaleRecheck{5};

}  // namespace

Result<runtime::Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  const ObserveContext with{.deps = deps_, .host = *host_, .context = context};
  // By caches that are behind a place could be given twice.
  const bool synced = deps_.caches.machines.synced() && deps_.caches.clusters.synced();
  if (!context.fresh || !synced) return runtime::Outcome::after(kStaleRecheck);
  const auto seen = observe(with, key);
  const Plan plan = seen ? decide(*seen) : Plan();
  if (key.name == api::policy::kFleetPolicyName) probes_.show(plan);
  if (!seen) return runtime::Outcome::done();
  log_plan(context.log, plan);
  // This controller alone writes that status, and each write is bound to the version that was seen: of two
  // granters at a time one would fail here, before it writes on a Machine.
  const auto patched = TRY(kube::patch_part(deps_.client, *seen->policy, report(*seen, plan),
                                            kube::Part::Status, kube::Lock::Always, context.deadline));
  if (patched) host_->consistency.wrote(key, deps_.caches.fleet_policies, patched->metadata.resource_version);
  TRY(act({.deps = deps_, .host = *host_, .contests = contests_, .context = context}, *seen, plan));
  return runtime::Outcome::after(plan.recheck);
}

}  // namespace capstan::controllers::fleetpolicy
