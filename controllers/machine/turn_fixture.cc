#include "controllers/machine/turn_fixture.h"

#include <gtest/gtest.h>

#include "api/schema/crd.h"
#include "controllers/shared/referrers.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/builders/cluster.h"
#include "test/builders/identity.h"
#include "test/builders/machine.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {

using builders::kNamespace;
using namespace std::chrono_literals;

const kube::Resource kDockerMachines{.group = std::string(api::group::kInfrastructure),
                                     .version = "v1beta2",
                                     .plural = "dockermachines",
                                     .kind = "DockerMachine"};
const kube::Resource kKubeadmConfigs{.group = std::string(api::group::kBootstrap),
                                     .version = "v1beta2",
                                     .plural = "kubeadmconfigs",
                                     .kind = "KubeadmConfig"};

const kube::Resource& machines() {
  static const kube::Resource resource = kube::resource_of<api::Machine>();
  return resource;
}
const kube::Resource& clusters() {
  static const kube::Resource resource = kube::resource_of<api::Cluster>();
  return resource;
}

namespace {

json::value clone(const kube::Resource& resource) {
  return {{"apiVersion", resource.api_version()},
          {"kind", resource.kind},
          {"metadata",
           {{"name", "m1"},
            {"namespace", kNamespace},
            {"labels", {{"cluster.x-k8s.io/cluster-name", "c1"}}},
            {"annotations", {{api::annotation::kClonedFromName, "t1"}}},
            {"ownerReferences", json::array{{{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                             {"kind", "MachineSet"},
                                             {"name", "ms1"},
                                             {"uid", builders::uid_of("MachineSet", "ms1").str()}}}}}},
          {"spec", json::object()}};
}

}  // namespace

ScriptedWorkload::ScriptedWorkload() : workload(node_api) {
  node_api.on_patch = [](const kube::Resource&, const kube::ObjectKey& key, const json::value&,
                         const kube::PatchOptions&) -> Result<json::value> {
    return json::value{{"metadata", {{"name", key.name}, {"resourceVersion", "900000"}}}};
  };
  node_api.on_list = [](const kube::Resource&, const kube::ListOptions&) -> Result<json::value> {
    return json::value{{"metadata", json::object()}, {"items", json::array()}};
  };
  node_api.on_remove = [](const kube::Resource&, const kube::ObjectKey&,
                          const kube::DeleteOptions&) -> Result<json::value> { return json::object(); };
}

MachineFixture::MachineFixture(fakes::Baton& with, const std::string& watch_filter)
    : ControllerFixture(with,
                        {.name = "machine", .kind = "Machine", .pace = 100ms, .watch_filter = watch_filter}) {
  for (const auto& kind : {kDockerMachines, kKubeadmConfigs})
    make(kube::resources::custom_resource_definitions(), provider_crd(kind));
}

void MachineFixture::start() {
  start_informers();
  settle(1s);
  start_controller();
}

void MachineFixture::make_cluster() {
  put(builders::a_cluster("c1").without_control_plane_ref().running().build());
}

void MachineFixture::make_clones() {
  make(kKubeadmConfigs, clone(kKubeadmConfigs));
  make(kDockerMachines, clone(kDockerMachines));
}

void MachineFixture::make_control_plane_machine() {
  put(builders::a_machine("cp").control_plane().paused().build());
}

void MachineFixture::make_machine() {
  make_clones();
  put(builders::a_machine("m1")
          .in_set("ms1")
          .version("v1.36.3")
          .finalized_by(api::finalizer::kMachine)
          .build());
}

void MachineFixture::bootstrap_is_done() {
  patch(kKubeadmConfigs, "m1",
        {{"status", {{"initialization", {{"dataSecretCreated", true}}}, {"dataSecretName", "m1-data"}}}},
        "status");
}

void MachineFixture::node_is_there(bool ready) {
  auto node = builders::a_node("m1").tainted("node.cluster.x-k8s.io/uninitialized", "NoSchedule");
  if (!ready) node.not_ready();
  workload_clusters.put_node({"default", "c1"}, node);
}

void MachineFixture::infrastructure_is_done() {
  patch(kDockerMachines, "m1", {{"spec", {{"providerID", "docker:////m1"}}}});
  patch(kDockerMachines, "m1",
        {{"status",
          {{"initialization", {{"provisioned", true}}},
           {"addresses", json::array{{{"type", "InternalIP"}, {"address", "10.0.0.1"}}}},
           {"failureDomain", "fd1"}}}},
        "status");
}

api::Machine MachineFixture::machine() const {
  const auto found = caches.machines.get({std::string(kNamespace), "m1"});
  return found ? *found : api::Machine();
}

void MachineFixture::forget_what_happened() {
  client.forget();
  workload.forget();
  events.events.clear();
}

void in_simulation(const std::function<void(MachineFixture&)>& body, const std::string& watch_filter) {
  under_seeds([&](fakes::Baton& baton) {
    MachineFixture fixture(baton, watch_filter);
    body(fixture);
  });
}

}  // namespace capstan::controllers::machine
