// ClusterFixture: a management cluster with the Cluster controller in it, a DockerCluster kind and a
// KubeadmControlPlane kind, for tests of whole turns. The Cluster is called c1 where no name is given.
// in_simulation() plays a test under five seeds. Runs inside a Baton.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "controllers/cluster/reconciler.h"
#include "controllers/shared/controller_fixture.h"
#include "test/builders/cluster.h"

namespace capstan::controllers::cluster {

inline const kube::Resource kInfra =
    provider_resource(api::group::kInfrastructure, "DockerCluster", "dockerclusters");
inline const kube::Resource kControlPlane =
    provider_resource(api::group::kControlPlane, "KubeadmControlPlane", "kubeadmcontrolplanes");
inline const kube::Resource& kCrds = kube::resources::custom_resource_definitions();
inline const kube::Resource& kSecrets = kube::resources::secrets();
inline const kube::Resource kClusters = kube::resource_of<api::Cluster>();

class ClusterFixture : public ControllerFixture<Reconciler> {
 public:
  explicit ClusterFixture(fakes::Baton& with);

  void infrastructure_is_done();
  void control_plane_is_done();

  api::Cluster c1() { return read<api::Cluster>("c1"); }
  std::string condition(std::string_view type);
};

void in_simulation(const std::function<void(ClusterFixture&)>& body);

template <typename T>
json::value a_document_of(const T& object) {
  return api::to_json(object);
}
inline json::value a_document(const api::Cluster& cluster) { return a_document_of(cluster); }

}  // namespace capstan::controllers::cluster
