#include "controllers/cluster/observe.h"

namespace capstan::controllers::cluster {

std::optional<Observation> observe(const runtime::Store<api::Cluster>& clusters, const Clock& clock,
                                   const kube::ObjectKey& key) {
  auto cluster = clusters.get(key);
  if (!cluster) return {};
  return Observation{.now = Time::from(clock.now()), .cluster = std::move(cluster)};
}

}  // namespace capstan::controllers::cluster
