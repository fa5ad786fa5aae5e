#include "controllers/cluster/ownership.h"

#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers::cluster {

api::OwnerReference reference_of(const api::Cluster& cluster) {
  const auto resource = kube::resource_of<api::Cluster>();
  return cluster.spec.topology.empty() ? runtime::owner_reference(resource, cluster.metadata)
                                       : runtime::controller_reference(resource, cluster.metadata);
}

bool is_marked_ours(const Observation& seen, const api::contract::ContractObject& object) {
  const auto& name = seen.cluster->metadata.name;
  if (object.metadata.labels.value_or_empty(api::label::kClusterName) != name.view()) return false;
  const auto wanted = runtime::with_owner(object.metadata.owner_references, reference_of(*seen.cluster));
  return wanted == object.metadata.owner_references;
}

}  // namespace capstan::controllers::cluster
