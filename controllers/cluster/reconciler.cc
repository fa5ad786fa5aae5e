#include "controllers/cluster/reconciler.h"

#include "base/try.h"
#include "controllers/cluster/decide.h"
#include "controllers/cluster/observe.h"
#include "controllers/cluster/report.h"
#include "kube/typed.h"

namespace capstan::controllers::cluster {

Result<runtime::Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  const auto seen = observe(deps_.clusters, deps_.clock, key);
  if (!seen) return runtime::Outcome::done();  // gone: nobody to report to
  const Plan plan = decide(*seen);
  const api::Cluster after = report(*seen, plan);
  const auto patched = TRY(kube::patch_status(deps_.client, *seen->cluster, after, context.deadline));
  if (!patched) return runtime::Outcome::done();
  if (consistency_ != nullptr) consistency_->wrote(key, deps_.clusters, patched->metadata.resource_version);
  context.log.info(plan.paused ? "cluster paused" : "cluster goes on", {{"why", plan.why}});
  return runtime::Outcome::done();
}

}  // namespace capstan::controllers::cluster
