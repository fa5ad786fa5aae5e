#include "controllers/cluster/ownership.h"

#include <algorithm>
#include <tuple>

#include "api/names.h"
#include "base/safeguards.h"
#include "controllers/shared/owning_clusters.h"
#include "kube/kinds.h"
#include "runtime/ownership.h"

namespace capstan::controllers::cluster {
namespace {

using Rivals = std::vector<runtime::Snapshot<api::Cluster>>;

// Of an object that no Cluster owns yet: null when it is `cluster` that may take it.
const api::Cluster* first_rival(const api::ObjectMeta& object, const api::Cluster& cluster,
                                const Rivals& rivals) {
  const std::string_view labelled = object.labels.value_or_empty(api::label::kClusterName);
  const auto rank = [&](const api::Cluster& each) {
    const auto& metadata = each.metadata;
    return std::tuple(metadata.name.view() != labelled, metadata.creation_timestamp, metadata.name.view());
  };
  const api::Cluster* first = nullptr;
  for (const auto& each : rivals) {
    if (each->metadata.name == cluster.metadata.name) continue;
    const bool precedes = cluster.metadata.deleting() || rank(*each) < rank(cluster);
    if (precedes && (first == nullptr || rank(*each) < rank(*first))) first = each.get();
  }
  return first;
}

api::OwnerReference reference_of(const api::Cluster& cluster) {
  const auto resource = kube::resource_of<api::Cluster>();
  return cluster.spec.topology.empty() ? runtime::owner_reference(resource, cluster.metadata)
                                       : runtime::controller_reference(resource, cluster.metadata);
}

}  // namespace

Claim claim_on(const api::ObjectMeta& object, const api::Cluster& cluster,
               const std::function<bool(std::string_view)>& cluster_exists, const Rivals& rivals) {
  Claim claim;
  if (is_off(Safeguard::FirstOwner)) return Claim{.ours = true};
  for (const api::OwnerReference* owner : owning_clusters(object.owner_references)) {
    if (owner->name == cluster.metadata.name) {
      claim.ours = true;
      return claim;
    }
    if (cluster_exists(owner->name)) {
      claim.other = owner->name.str();
      claim.other_owns = true;
      return claim;
    }
    claim.unseen.push_back(owner->name.str());
  }
  if (const auto* rival = first_rival(object, cluster, rivals)) claim.other = rival->metadata.name.str();
  return claim;
}

api::ObjectMeta marked_ours(const api::Cluster& cluster, api::ObjectMeta object) {
  object.labels.set(Text(api::label::kClusterName), cluster.metadata.name);
  object.owner_references = runtime::with_owner(object.owner_references, reference_of(cluster));
  return object;
}

}  // namespace capstan::controllers::cluster
