#include "runtime/triggers.h"
#include "api/meta/label_selector.h"
#include "controllers/machinedeployment/reconciler.h"
#include "kube/typed.h"

namespace capstan::controllers::machinedeployment {
namespace {

using Keys = std::vector<kube::ObjectKey>;

// The MachineDeployments that may adopt the set.
Keys interested_in(const Caches& caches, const api::MachineSet& set) {
  Keys keys;
  const kube::ObjectKey cluster{.namespace_ = set.metadata.namespace_.str(),
                                .name = set.spec.cluster_name.str()};
  for (const auto& deployment : caches.machine_deployments_of(cluster)) {
    const auto selector = api::Selector::from(deployment->spec.selector);
    if (!selector || selector->matches_everything() || !selector->matches(set.metadata.labels)) continue;
    keys.push_back(kube::key_of(*deployment));
  }
  return keys;
}

Keys of_set(const Caches& caches, const runtime::Change<api::MachineSet>& change) {
  Keys keys = runtime::owners_of_kind(change, api::group::kCluster, api::kind::kMachineDeployment);
  if (!change.after || change.after->metadata.controller() != nullptr) return keys;
  for (auto& key : interested_in(caches, *change.after)) keys.push_back(std::move(key));
  return keys;
}

// What a deployment heeds of its Cluster: whether it is there, is paused, is going away.
bool matters(const runtime::Change<api::Cluster>& change) {
  if (!change.before || !change.after) return !change.initial;
  return change.before->spec.paused.value_or(false) != change.after->spec.paused.value_or(false) ||
         change.before->metadata.deleting() != change.after->metadata.deleting() ||
         change.before->metadata.uid != change.after->metadata.uid;
}

Keys of_cluster(const Caches& caches, const runtime::Change<api::Cluster>& change) {
  Keys keys;
  if (!matters(change)) return keys;
  const kube::ObjectKey cluster = kube::key_of(change.object());
  for (const auto& deployment : caches.machine_deployments_of(cluster))
    keys.push_back(kube::key_of(*deployment));
  for (const auto& deployment : caches.misnamed_machine_deployments_of(cluster))
    keys.push_back(kube::key_of(*deployment));
  return keys;
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger_self(caches.machine_deployments, queue);
  runtime::trigger<api::MachineSet>(caches.machine_sets, queue,
                                    [&caches](const auto& change) { return of_set(caches, change); });
  runtime::trigger<api::Cluster>(caches.clusters, queue,
                                 [&caches](const auto& change) { return of_cluster(caches, change); });
}

}  // namespace capstan::controllers::machinedeployment
