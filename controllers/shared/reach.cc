#include "controllers/shared/reach.h"

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "kube/typed.h"

namespace capstan::controllers {
namespace {

Time probed_well_since(const api::Cluster& cluster) {
  const auto probe = api::conditions::find(cluster.status.conditions, api::condition::kRemoteConnectionProbe);
  return probe != nullptr && probe->status == api::status::kTrue ? probe->last_transition_time : Time();
}

}  // namespace

kubeconfig::Reach reach_of(const kubeconfig::WorkloadClusters& clusters, const api::Cluster& cluster) {
  auto reach = clusters.reach(kube::key_of(cluster));
  reach.connected_since = probed_well_since(cluster);
  return reach;
}

lifecycle::Contact contact_of(const kubeconfig::Reach& reach) {
  return {.now = reach.connected && reach.doubt.empty(), .since = reach.connected_since};
}

bool same_contact(const api::Cluster& before, const api::Cluster& after) {
  return probed_well_since(before) == probed_well_since(after);
}

}  // namespace capstan::controllers
