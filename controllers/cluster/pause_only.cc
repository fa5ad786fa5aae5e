#include "controllers/cluster/pause_only.h"

#include "api/names.h"
#include "base/try.h"
#include "kube/typed.h"
#include "runtime/paused.h"

namespace capstan::controllers::cluster {

Result<runtime::Outcome> PauseOnly::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  const auto cluster = deps_.clusters.get(key);
  if (!cluster) return runtime::Outcome::done();
  const auto pause =
      runtime::paused(cluster->spec.paused.value_or(false), cluster->metadata, api::kind::kCluster);
  api::Cluster after = *cluster;
  after.status.conditions = runtime::judge_pause(pause, cluster->status.conditions,
                                                 cluster->metadata.generation, Time::from(deps_.clock.now()))
                                .conditions;
  const auto patched = TRY(kube::patch_status(deps_.client, *cluster, after, context.deadline));
  if (patched && consistency_ != nullptr)
    consistency_->wrote(key, deps_.clusters, patched->metadata.resource_version);
  return runtime::Outcome::done();
}

}  // namespace capstan::controllers::cluster
