#include "controllers/shared/owning_clusters.h"

#include <algorithm>

#include "api/names.h"

namespace capstan::controllers {

std::vector<const api::OwnerReference*> owning_clusters(const api::OwnerReferences& owners) {
  std::vector<const api::OwnerReference*> clusters;
  for (const api::OwnerReference& owner : *owners) {
    if (owner.kind == api::kind::kCluster && owner.group() == api::group::kCluster)
      clusters.push_back(&owner);
  }
  std::ranges::stable_partition(clusters, &api::OwnerReference::is_controller);
  return clusters;
}

}  // namespace capstan::controllers
