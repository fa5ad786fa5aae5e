#include "controllers/lifecyclepolicy/reconciler.h"

#include "base/try.h"
#include "controllers/lifecyclepolicy/act.h"
#include "controllers/lifecyclepolicy/decide.h"
#include "controllers/lifecyclepolicy/observe.h"
#include "controllers/lifecyclepolicy/report.h"
#include "controllers/shared/turn_steps.h"
#include "kube/typed.h"

namespace capstan::controllers::lifecyclepolicy {

Result<runtime::Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  const auto seen = observe({.deps = deps_, .host = *host_, .context = context}, key);
  if (!seen) return runtime::Outcome::done();
  const Plan plan = decide(*seen);
  log_plan(context.log, plan);
  const Effects effects =
      act({.deps = deps_, .host = *host_, .contests = contests_, .context = context}, *seen, plan);
  // This controller alone writes that status: a conflict means that the cache is behind, and fails the turn,
  // which is repeated. write_status() of turn_steps.h would merge with another writer instead.
  const auto patched = kube::patch_status(deps_.client, *seen->policy, report(*seen), context.deadline);
  if (!patched && patched.error().code != Code::NotFound) return fail(patched.error());
  if (patched && *patched)
    host_->consistency.wrote(key, deps_.caches.machine_lifecycle_policies,
                             (*patched)->metadata.resource_version);
  TRY(none_failed(effects.errors));
  return runtime::Outcome::done();
}

}  // namespace capstan::controllers::lifecyclepolicy
