#include "controllers/safety/api_loss_brake.h"

#include "api/v1beta2/cluster_state.h"
#include "controllers/safety/governed.h"
#include "kube/typed.h"

namespace capstan::controllers::safety {
namespace {

// Without an answer, what is known is a guess: in doubt, or not connected.
ApiHealth health_of(const kubeconfig::Reach& reach) {
  return {.failing = !reach.connected || !reach.doubt.empty(),
          .last_heard = reach.last_success,
          .problem = reach.connected ? reach.doubt : reach.problem};
}

}  // namespace

runtime::Verdict ApiLossBrake::ask(runtime::Intent /*intent*/, const runtime::Asker& asker) const {
  const auto governed = governed_by_policy(deps_.caches, asker);
  if (!governed || governed->control_plane || !governed->cluster ||
      !api::control_plane_initialized(*governed->cluster))
    return {};
  return ask_about(*governed->cluster);
}

runtime::Verdict ApiLossBrake::ask_about(const api::Cluster& cluster) const {
  const ApiLimits limits{.now = Time::from(deps_.clock.now()), .grace = deps_.grace};
  const auto key = kube::key_of(cluster);
  const ApiHealth management = deps_.management();
  if (const auto loss = api_loss(management, limits); holds(loss))
    return {.open = false, .why = words_for(loss, management, "the API server of the management cluster")};
  const ApiHealth workload = health_of(deps_.workload_clusters.reach(key));
  if (const auto loss = api_loss(workload, limits); holds(loss))
    return {.open = false, .why = words_for(loss, workload, "the API server of Cluster " + key.describe())};
  return {};
}

}  // namespace capstan::controllers::safety
