#include "controllers/cluster/turn_fixture.h"

#include "api/conditions/conditions.h"

namespace capstan::controllers::cluster {

ClusterFixture::ClusterFixture(fakes::Baton& with)
    : ControllerFixture(with, {.name = "cluster", .kind = "Cluster"}) {
  for (const auto& kind : {kInfra, kControlPlane}) make(kCrds, provider_crd(kind));
}

void ClusterFixture::infrastructure_is_done() {
  patch(kInfra, "c1", {{"spec", {{"controlPlaneEndpoint", {{"host", "10.0.0.1"}, {"port", 6443}}}}}});
  patch(kInfra, "c1", {{"status", {{"initialization", {{"provisioned", true}}}}}}, "status");
}

void ClusterFixture::control_plane_is_done() {
  patch(kControlPlane, "c1", {{"status", {{"initialization", {{"controlPlaneInitialized", true}}}}}},
        "status");
}

std::string ClusterFixture::condition(std::string_view type) {
  const auto cluster = c1();
  const auto found = api::conditions::find(cluster.status.conditions, type);
  return found == nullptr ? "absent" : found->status.str() + " " + found->reason.str();
}

void in_simulation(const std::function<void(ClusterFixture&)>& body) {
  under_seeds([&](fakes::Baton& baton) {
    ClusterFixture fixture(baton);
    body(fixture);
  });
}

}  // namespace capstan::controllers::cluster
