// a_cluster("c1"): a Cluster with a DockerCluster and a KubeadmControlPlane of the same name, nothing
// provisioned yet.
#pragma once

#include "api/v1beta2/cluster.h"
#include "test/builders/object_builder.h"

namespace capstan::builders {

class ClusterBuilder : public ConditionedBuilder<ClusterBuilder, api::Cluster> {
 public:
  explicit ClusterBuilder(std::string_view name);

  ClusterBuilder& without_control_plane_ref();
  ClusterBuilder& without_infrastructure_ref();
  ClusterBuilder& endpoint(std::string_view host, std::int32_t port);
  ClusterBuilder& infrastructure_provisioned();
  ClusterBuilder& control_plane_initialized(Time since = noon());  // the flag and the condition
  ClusterBuilder& control_plane_machine_joined();  // the condition, without a control plane object
  ClusterBuilder& running();                       // both of them, and an endpoint
  ClusterBuilder& held();                          // spec.paused, which stops everything in it
};

ClusterBuilder a_cluster(std::string_view name = kCluster);

}  // namespace capstan::builders
