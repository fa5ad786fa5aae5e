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

json::value provider_crd(const kube::Resource& resource) {
  return {{"apiVersion", "apiextensions.k8s.io/v1"},
          {"kind", "CustomResourceDefinition"},
          {"metadata",
           {{"name", resource.plural + "." + resource.group},
            {"labels", {{"cluster.x-k8s.io/v1beta2", "v1beta2"}}}}},
          {"spec",
           {{"group", resource.group},
            {"scope", "Namespaced"},
            {"names",
             {{"plural", resource.plural}, {"kind", resource.kind}, {"listKind", resource.kind + "List"}}},
            {"versions",
             json::array{{{"name", "v1beta2"},
                          {"served", true},
                          {"storage", true},
                          {"subresources", {{"status", json::object()}}},
                          {"schema",
                           {{"openAPIV3Schema",
                             {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}}}}}}}}};
}

template <typename T>
void must(const Result<T>& result) {
  ASSERT_TRUE(result) << result.error().describe();
}

runtime::ControllerOptions options() {
  return {.name = "machine", .kind = "Machine", .concurrency = 2, .queue = {.pace = 100ms}};
}

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

MachineWorld::MachineWorld(fakes::Baton& with, std::string watch_filter)
    : baton(with),
      api({.clock = with}),
      user(api, with),
      memory(api, with, {.user_agent = "manager/1"}),
      client(memory),
      workload(node_api),
      loop_(with, with),
      informers_({.loop = loop_, .client = memory}),
      deps_{.clock = with,
            .threads = with,
            .client = client,
            .caches = caches,
            .workload_clusters = workload_clusters,
            .events = events,
            .names = names_,
            .brake = brake_,
            .watch_filter = std::move(watch_filter)},
      reconciler_(deps_),
      controller_({.clock = with, .threads = with, .client = client, .randomness = randomness_}, options(),
                  reconciler_),
      externals_(informers_, caches.crds,
                 {.group = api::group::kCluster,
                  .kind = api::kind::kMachine,
                  .referrers = referrers_of_kind(caches, api::kind::kMachine)},
                 controller_.queue()),
      crd_informer_({.loop = loop_, .client = memory},
                    {.resource = kube::resources::custom_resource_definitions()}, caches.crds),
      cluster_informer_({.loop = loop_, .client = memory}, {.resource = clusters()}, caches.clusters),
      machine_informer_({.loop = loop_, .client = memory}, {.resource = machines()}, caches.machines),
      set_informer_({.loop = loop_, .client = memory}, {.resource = kube::resource_of<api::MachineSet>()},
                    caches.machine_sets),
      deployment_informer_({.loop = loop_, .client = memory},
                           {.resource = kube::resource_of<api::MachineDeployment>()},
                           caches.machine_deployments),
      rule_informer_({.loop = loop_, .client = memory},
                     {.resource = kube::resource_of<api::MachineDrainRule>()}, caches.machine_drain_rules),
      pool_informer_({.loop = loop_, .client = memory}, {.resource = kube::resource_of<api::MachinePool>()},
                     caches.machine_pools) {
  const auto& crds = kube::resources::custom_resource_definitions();
  for (const json::value& crd :
       {api::crd<api::Cluster>(), api::crd<api::Machine>(), api::crd<api::MachineSet>(),
        api::crd<api::MachineDeployment>(), api::crd<api::MachineDrainRule>(), api::crd<api::MachinePool>(),
        provider_crd(kDockerMachines), provider_crd(kKubeadmConfigs)}) {
    must(user.create(crds, {}, crd, {}, Deadline::never()));
  }
  node_api.on_patch = [](const kube::Resource&, const kube::ObjectKey& key, const json::value&,
                         const kube::PatchOptions&) -> Result<json::value> {
    return json::value{{"metadata", {{"name", key.name}, {"resourceVersion", "900000"}}}};
  };
  node_api.on_list = [](const kube::Resource&, const kube::ListOptions&) -> Result<json::value> {
    return json::value{{"metadata", json::object()}, {"items", json::array()}};
  };
  node_api.on_remove = [](const kube::Resource&, const kube::ObjectKey&,
                          const kube::DeleteOptions&) -> Result<json::value> { return json::object(); };
  reconciler_.bind(
      {.consistency = controller_.consistency(), .externals = externals_, .queue = controller_.queue()});
  reconciler_.add_triggers(controller_.queue());
}

MachineWorld::~MachineWorld() { stop(); }

void MachineWorld::stop() {
  if (!std::exchange(started_, false)) return;
  controller_.stop();
  reconciler_.stop_drains();
  pool_informer_.stop();
  rule_informer_.stop();
  deployment_informer_.stop();
  set_informer_.stop();
  machine_informer_.stop();
  cluster_informer_.stop();
  crd_informer_.stop();
}

void MachineWorld::start() {
  crd_informer_.start();
  cluster_informer_.start();
  machine_informer_.start();
  set_informer_.start();
  deployment_informer_.start();
  rule_informer_.start();
  pool_informer_.start();
  settle(1s);
  controller_.start();
  started_ = true;
}

void MachineWorld::settle(Nanoseconds span) { baton.pause(Deadline::in(baton, span)); }

void MachineWorld::make(const kube::Resource& resource, json::value object) {
  const json::value status =
      object.as_object().contains("status") ? object.at("status") : json::value(nullptr);
  const std::string name(object.at("metadata").at("name").as_string());
  auto& metadata = object.at("metadata").as_object();
  metadata.erase("resourceVersion");
  metadata.erase("uid");
  must(user.create(resource, {std::string(kNamespace), name}, object, {}, Deadline::never()));
  if (!status.is_null()) patch(resource, name, {{"status", status}}, "status");
}

void MachineWorld::patch(const kube::Resource& resource, std::string_view name, const json::value& body,
                         std::string_view subresource) {
  must(user.patch(resource, {std::string(kNamespace), std::string(name)}, body,
                  {.subresource = std::string(subresource)}, Deadline::never()));
}

void MachineWorld::remove(const kube::Resource& resource, std::string_view name) {
  must(user.remove(resource, {std::string(kNamespace), std::string(name)}, {}, Deadline::never()));
}

void MachineWorld::make_cluster() {
  make(clusters(), api::to_json(builders::a_cluster("c1").without_control_plane_ref().running().build()));
}

void MachineWorld::make_clones() {
  make(kKubeadmConfigs, clone(kKubeadmConfigs));
  make(kDockerMachines, clone(kDockerMachines));
}

void MachineWorld::make_control_plane_machine() {
  make(machines(), api::to_json(builders::a_machine("cp").control_plane().paused().build()));
}

void MachineWorld::make_machine() {
  make_clones();
  make(machines(), api::to_json(builders::a_machine("m1")
                                    .in_set("ms1")
                                    .version("v1.36.3")
                                    .finalized_by(api::finalizer::kMachine)
                                    .build()));
}

void MachineWorld::bootstrap_is_done() {
  patch(kKubeadmConfigs, "m1",
        {{"status", {{"initialization", {{"dataSecretCreated", true}}}, {"dataSecretName", "m1-data"}}}},
        "status");
}

void MachineWorld::node_is_there(bool ready) {
  auto node = builders::a_node("m1").tainted("node.cluster.x-k8s.io/uninitialized", "NoSchedule");
  if (!ready) node.not_ready();
  workload_clusters.put_node({"default", "c1"}, node);
}

void MachineWorld::infrastructure_is_done() {
  patch(kDockerMachines, "m1", {{"spec", {{"providerID", "docker:////m1"}}}});
  patch(kDockerMachines, "m1",
        {{"status",
          {{"initialization", {{"provisioned", true}}},
           {"addresses", json::array{{{"type", "InternalIP"}, {"address", "10.0.0.1"}}}},
           {"failureDomain", "fd1"}}}},
        "status");
}

api::Machine MachineWorld::machine() const {
  const auto found = caches.machines.get({std::string(kNamespace), "m1"});
  return found ? *found : api::Machine();
}

bool MachineWorld::exists(const kube::Resource& resource, std::string_view name) {
  return user.get(resource, {std::string(kNamespace), std::string(name)}, Deadline::never()).has_value();
}

void MachineWorld::forget_what_happened() {
  client.writes.clear();
  client.reads = 0;
  workload.writes.clear();
  workload.reads = 0;
  events.events.clear();
}

std::vector<std::string> MachineWorld::what_was_written() const {
  std::vector<std::string> all;
  for (const auto& write : client.writes) all.push_back(write.what);
  return all;
}

std::vector<std::string> MachineWorld::what_the_node_got() const {
  std::vector<std::string> all;
  for (const auto& write : workload.writes) all.push_back(write.what);
  return all;
}

void in_simulation(const std::function<void(MachineWorld&)>& body, const std::string& watch_filter) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    fakes::Baton baton({.seed = seed});
    const auto report = baton.run([&] {
      MachineWorld world(baton, watch_filter);
      body(world);
    });
    ASSERT_TRUE(report.finished()) << "seed " << seed << ": " << report.why;
  }
}

}  // namespace capstan::controllers::machine
