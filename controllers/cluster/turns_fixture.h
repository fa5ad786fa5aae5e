// A management cluster with the Cluster controller in it, a DockerCluster kind and a KubeadmControlPlane
// kind, for tests of whole turns. The Cluster is called c1 where no name is given. Runs inside a Baton.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "api/conditions/conditions.h"
#include "controllers/cluster/reconciler.h"
#include "controllers/shared/stage_fixture.h"
#include "test/builders/cluster.h"

namespace capstan::controllers::cluster {

inline const kube::Resource kInfra =
    provider_resource(api::group::kInfrastructure, "DockerCluster", "dockerclusters");
inline const kube::Resource kControlPlane =
    provider_resource(api::group::kControlPlane, "KubeadmControlPlane", "kubeadmcontrolplanes");
inline const kube::Resource& kCrds = kube::resources::custom_resource_definitions();
inline const kube::Resource& kSecrets = kube::resources::secrets();
inline const kube::Resource kClusters = kube::resource_of<api::Cluster>();

class World : public Stage<Reconciler> {
 public:
  explicit World(fakes::Baton& with) : Stage(with, "cluster", api::kind::kCluster) {
    make(kCrds, provider_crd(kInfra));
    make(kCrds, provider_crd(kControlPlane));
  }
  api::Cluster c1() { return read<api::Cluster>("c1"); }
  void infrastructure_is_done() {
    patch(kInfra, "c1", {{"spec", {{"controlPlaneEndpoint", {{"host", "10.0.0.1"}, {"port", 6443}}}}}});
    patch(kInfra, "c1", {{"status", {{"initialization", {{"provisioned", true}}}}}}, "status");
  }
  void control_plane_is_done() {
    patch(kControlPlane, "c1", {{"status", {{"initialization", {{"controlPlaneInitialized", true}}}}}},
          "status");
  }
  std::string condition(std::string_view type) {
    const auto cluster = c1();
    const auto found = api::conditions::find(cluster.status.conditions, type);
    return found == nullptr ? "absent" : found->status.str() + " " + found->reason.str();
  }
  void collect_garbage() {
    while (api.run_controllers()) {
    }
    settle();
  }
};

inline void in_world(const std::function<void(World&)>& body) {
  under_seeds([&](fakes::Baton& baton) {
    World world(baton);
    body(world);
  });
}

template <typename T>
json::value a_document_of(const T& object) {
  return api::to_json(object);
}
inline json::value a_document(const api::Cluster& cluster) { return a_document_of(cluster); }

}  // namespace capstan::controllers::cluster
