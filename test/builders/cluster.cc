#include "test/builders/cluster.h"

namespace capstan::builders {

using api::Cluster;

ClusterBuilder::ClusterBuilder(std::string_view name) : ConditionedBuilder(Cluster{}) {
  object_.metadata = metadata_of(api::kind::kCluster, name);
  object_.spec.infrastructure_ref = api::ContractRef{
      .api_group = Text(api::group::kInfrastructure), .kind = "DockerCluster"_text, .name = Text(name)};
  object_.spec.control_plane_ref = api::ContractRef{
      .api_group = Text(api::group::kControlPlane), .kind = "KubeadmControlPlane"_text, .name = Text(name)};
}

ClusterBuilder& ClusterBuilder::without_control_plane_ref() {
  return change([](Cluster& cluster) { cluster.spec.control_plane_ref.reset(); });
}

ClusterBuilder& ClusterBuilder::without_infrastructure_ref() {
  return change([](Cluster& cluster) { cluster.spec.infrastructure_ref.reset(); });
}

ClusterBuilder& ClusterBuilder::endpoint(std::string_view host, std::int32_t port) {
  return change(
      [&](Cluster& cluster) { cluster.spec.control_plane_endpoint = {.host = Text(host), .port = port}; });
}

ClusterBuilder& ClusterBuilder::infrastructure_provisioned() {
  object_.status.initialization.infrastructure_provisioned = true;
  return condition(api::condition::kInfrastructureReady, api::status::kTrue, api::reason::kReady);
}

ClusterBuilder& ClusterBuilder::control_plane_initialized(Time since) {
  object_.status.initialization.control_plane_initialized = true;
  return condition(api::condition::kControlPlaneInitialized, api::status::kTrue, api::reason::kInitialized,
                   {}, since);
}

ClusterBuilder& ClusterBuilder::control_plane_machine_joined() {
  return without_control_plane_ref().condition(api::condition::kControlPlaneInitialized, api::status::kTrue,
                                               api::reason::kInitialized, {}, noon());
}

ClusterBuilder& ClusterBuilder::running() {
  object_.status.phase = Text(api::cluster_phase::kProvisioned);
  return endpoint("127.0.0.1", 6443).infrastructure_provisioned().control_plane_initialized();
}

ClusterBuilder& ClusterBuilder::held() {
  return change([](Cluster& cluster) { cluster.spec.paused = true; });
}

ClusterBuilder a_cluster(std::string_view name) { return ClusterBuilder(name); }

}  // namespace capstan::builders
