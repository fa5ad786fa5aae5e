#include "kubeconfig/wanted.h"

#include <utility>

#include "kubeconfig/workload_registry.h"

namespace capstan::kubeconfig {
namespace {

using ClusterChange = runtime::Change<api::Cluster>;

bool is_provisioned(const runtime::Snapshot<api::Cluster>& cluster) {
  return cluster && cluster->status.initialization.infrastructure_provisioned.value_or(false);
}

bool is_initialized(const runtime::Snapshot<api::Cluster>& cluster) {
  return cluster->status.initialization.control_plane_initialized.value_or(false);
}

// Its control plane has come up, or it is reached in another way.
bool may_answer_now(const ClusterChange& change) {
  return is_initialized(change.before) != is_initialized(change.after) ||
         change.before->spec.control_plane_endpoint != change.after->spec.control_plane_endpoint;
}

// A cluster that leaves the scope is gone for us, one that enters it is new.
ClusterChange within(const std::function<bool(const api::Cluster&)>& in_scope, const ClusterChange& change) {
  if (!in_scope) return change;
  ClusterChange seen = change;
  if (seen.before && !in_scope(*seen.before)) seen.before.reset();
  if (seen.after && !in_scope(*seen.after)) seen.after.reset();
  return seen;
}

}  // namespace

Wish wish_after(const ClusterChange& change) {
  const bool was = is_provisioned(change.before);
  const bool is = is_provisioned(change.after);
  if (!is) return was ? Wish::Forget : Wish::Nothing;
  if (!was) return Wish::Want;
  if (change.before->metadata.uid != change.after->metadata.uid) return Wish::Anew;
  return may_answer_now(change) ? Wish::Hurry : Wish::Nothing;
}

void follow(runtime::Store<api::Cluster>& clusters, WorkloadRegistry& registry,
            std::function<bool(const api::Cluster&)> in_scope) {
  clusters.subscribe([&registry, in_scope = std::move(in_scope)](const ClusterChange& change) {
    const runtime::ObjectKey key = runtime::key_of(change.object());
    switch (wish_after(within(in_scope, change))) {
      case Wish::Nothing: return;
      case Wish::Want: return registry.want(key);
      case Wish::Hurry: return registry.hurry(key);
      case Wish::Forget: return registry.forget(key);
      case Wish::Anew: registry.forget(key); return registry.want(key);
    }
  });
}

}  // namespace capstan::kubeconfig
