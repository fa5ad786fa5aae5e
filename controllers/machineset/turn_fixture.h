// Whole turns of the MachineSet controller against the embedded API server, under the baton: real caches,
// real watches, the real gate, virtual time. in_simulation() plays a test under three seeds.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/conditions/conditions.h"
#include "api/schema/crd.h"
#include "apiserver/api.h"
#include "controllers/machineset/reconciler.h"
#include "controllers/machineset/wanted.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "kube/watch_loop.h"
#include "runtime/controller.h"
#include "runtime/informer.h"
#include "runtime/ownership.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_set.h"
#include "test/builders/node.h"
#include "test/fakes/baton.h"
#include "test/fakes/fake_workload_clusters.h"
#include "test/fakes/faulty_client.h"
#include "test/fakes/memory_client.h"
#include "test/fakes/recorded_events.h"
#include "test/fakes/shut_brake.h"

namespace capstan::controllers::machineset {

namespace json = boost::json;

inline kube::Resource provider(std::string_view group, std::string_view plural, std::string_view kind) {
  return {.group = std::string(group),
          .version = "v1beta2",
          .plural = std::string(plural),
          .kind = std::string(kind)};
}
inline const kube::Resource kInfraMachines =
    provider(api::group::kInfrastructure, "dockermachines", "DockerMachine");
inline const kube::Resource kInfraTemplates =
    provider(api::group::kInfrastructure, "dockermachinetemplates", "DockerMachineTemplate");
inline const kube::Resource kConfigs = provider(api::group::kBootstrap, "kubeadmconfigs", "KubeadmConfig");
inline const kube::Resource kConfigTemplates =
    provider(api::group::kBootstrap, "kubeadmconfigtemplates", "KubeadmConfigTemplate");
inline const kube::Resource kControlPlanes =
    provider(api::group::kControlPlane, "kubeadmcontrolplanes", "KubeadmControlPlane");

inline json::value provider_crd(const kube::Resource& resource) {
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

class CountedNames final : public NameGenerator {
 public:
  std::deque<std::string> first = {};  // what chance brings before it counts on

  std::string suffix(std::size_t length) override {
    if (!first.empty()) {
      std::string chosen = std::move(first.front());
      first.pop_front();
      return chosen;
    }
    std::string letters(length, 'x');
    int left = ++count_;
    for (auto letter = letters.rbegin(); left > 0; left /= 10, ++letter) {
      *letter = kNameAlphabet[static_cast<std::size_t>(left % 10)];
    }
    return letters;
  }

 private:
  int count_ = 0;
};

// The world: a server, a user, and a manager with one controller.
struct Stage {
  fakes::Baton& baton;
  apiserver::Api api;
  fakes::MemoryClient user;
  fakes::MemoryClient wire;
  std::function<fakes::Fault(const fakes::FaultPoint&)> choose = {};  // of the manager's calls
  std::vector<std::string> writes = {};                               // of the manager, that took place
  Nanoseconds lag = std::chrono::seconds(2);                          // of a piece of a watch that is stale
  fakes::FaultyClient network;
  kube::WatchLoop loop;
  Caches caches;
  fakes::RecordedEvents events;
  CountedNames names;
  runtime::OpenBrake open;
  fakes::ShutBrake shut;
  fakes::FakeWorkloadClusters workloads;
  SeededRandomness randomness{1};
  Reconciler reconciler;
  runtime::Controller controller;
  runtime::DynamicInformers dynamic;
  runtime::ExternalRefs externals;
  std::vector<std::unique_ptr<runtime::InformerState>> informers = {};
  std::deque<std::function<void()>> stops = {};

  explicit Stage(fakes::Baton& with, bool braked = false)
      : baton(with),
        api({.clock = baton}),
        user(api, baton, {.user = "user", .user_agent = "kubectl/1"}),
        wire(api, baton, {.user = "manager", .user_agent = "manager/1"}),
        network(wire, baton, baton,
                {.choose = [this](const fakes::FaultPoint& at) { return fault_at(at); },
                 .span = [this] { return lag; },
                 .on_effect = [this](const fakes::FaultPoint& at) { note(at); }}),
        loop(baton, baton),
        reconciler({.clock = baton,
                    .threads = baton,
                    .client = network,
                    .caches = caches,
                    .workload_clusters = workloads,
                    .events = events,
                    .names = names,
                    .brake = braked ? static_cast<const runtime::Brake&>(shut) : open}),
        controller({.clock = baton, .threads = baton, .client = network, .randomness = randomness},
                   {.name = "machineset", .kind = "MachineSet", .concurrency = 3}, reconciler),
        dynamic({.loop = loop, .client = network}),
        externals(dynamic, caches.crds, {.group = api::group::kCluster, .kind = api::kind::kMachineSet},
                  controller.queue()) {
    reconciler.bind(
        {.consistency = controller.consistency(), .externals = externals, .queue = controller.queue()});
    reconciler.add_triggers(controller.queue());
    install();
  }

  fakes::Fault fault_at(const fakes::FaultPoint& at) const {
    return choose ? choose(at) : fakes::Fault::None;
  }
  void note(const fakes::FaultPoint& at) {
    writes.push_back(std::string(to_string(at.call)) + " " + std::string(at.kind));
  }

  template <typename T>
  void must(const Result<T>& result) {
    ASSERT_TRUE(result) << result.error().describe();
  }
  void put(const kube::Resource& resource, const json::value& object) {
    const auto& name = object.at("metadata").at("name").as_string();
    must(user.create(resource, {std::string(builders::kNamespace), std::string(name)}, object, {},
                     Deadline::never()));
  }
  template <typename T>
  void put(const T& object) {
    json::value document = api::to_json(object);
    auto& metadata = document.at("metadata").as_object();
    for (const auto* field : {"uid", "resourceVersion", "creationTimestamp", "generation"})
      metadata.erase(field);
    put(kube::resource_of<T>(), document);
  }

  void install() {
    const auto crd = [&](const json::value& document) {
      must(user.create(kube::resources::custom_resource_definitions(), {}, document, {}, Deadline::never()));
    };
    crd(api::crd<api::Cluster>());
    crd(api::crd<api::Machine>());
    crd(api::crd<api::MachineSet>());
    crd(api::crd<api::MachineDeployment>());
    for (const auto& each : {kInfraMachines, kInfraTemplates, kConfigs, kConfigTemplates, kControlPlanes}) {
      crd(provider_crd(each));
    }
  }
  void put_template(const kube::Resource& resource, std::string_view name) {
    put(resource, {{"apiVersion", resource.api_version()},
                   {"kind", resource.kind},
                   {"metadata", {{"name", name}, {"namespace", builders::kNamespace}}},
                   {"spec",
                    {{"template",
                      {{"metadata", {{"labels", {{"of", "template"}}}}}, {"spec", {{"size", "large"}}}}}}}});
  }
  // A cluster without control plane object, and both templates.
  void put_world() {
    put(builders::a_cluster().without_control_plane_ref().build());
    put_template(kInfraTemplates, "ms1");
    put_template(kConfigTemplates, "ms1");
  }

  template <typename T>
  void watch(const kube::Resource& resource, runtime::Store<T>& store) {
    auto informer =
        std::make_unique<runtime::Informer<T>>(runtime::InformerDeps{.loop = loop, .client = network},
                                               kube::WatchTarget{.resource = resource}, store);
    informer->start();
    stops.push_front([raw = informer.get()] { raw->stop(); });
    informers.push_back(std::move(informer));
  }
  void start() {
    watch(kube::resource_of<api::Cluster>(), caches.clusters);
    watch(kube::resource_of<api::Machine>(), caches.machines);
    watch(kube::resource_of<api::MachineSet>(), caches.machine_sets);
    watch(kube::resource_of<api::MachineDeployment>(), caches.machine_deployments);
    watch(kube::resources::custom_resource_definitions(), caches.crds);
    settle(std::chrono::seconds(1));
    controller.start();
    settle();
  }
  void stop() {
    controller.stop();
    for (const auto& each : stops) each();
    stops.clear();
  }
  void settle(Nanoseconds span = std::chrono::seconds(20)) { baton.pause(Deadline::in(baton, span)); }

  std::vector<json::value> all(const kube::Resource& resource) {
    const auto list =
        user.list(resource, {.namespace_ = std::string(builders::kNamespace)}, Deadline::never());
    std::vector<json::value> found;
    if (!list) return found;
    for (const auto& item : list->at("items").as_array()) found.push_back(item);
    return found;
  }
  std::vector<std::string> names_of(const kube::Resource& resource) {
    std::vector<std::string> found;
    for (const auto& item : all(resource)) found.emplace_back(item.at("metadata").at("name").as_string());
    return found;
  }
  std::vector<api::Machine> machines() {
    std::vector<api::Machine> found;
    for (const auto& item : all(kube::resource_of<api::Machine>())) {
      found.push_back(*api::from_json<api::Machine>(item));
    }
    return found;
  }
  api::Machine machine(const std::string& name) {
    return *kube::get<api::Machine>(user, {std::string(builders::kNamespace), name}, Deadline::never());
  }
  std::vector<std::string> machine_names() { return names_of(kube::resource_of<api::Machine>()); }
  api::MachineSet set() {
    return *kube::get<api::MachineSet>(user, {std::string(builders::kNamespace), "ms1"}, Deadline::never());
  }
  std::string says(std::string_view type) {
    const auto read = set();
    const auto found = api::conditions::find(read.status.conditions, type);
    return found == nullptr ? std::string("absent")
                            : found->status.str() + " " + found->reason.str() + ": " + found->message.str();
  }
  void change(const kube::Resource& resource, std::string_view name, const json::value& patch,
              std::string_view subresource = {}) {
    must(user.patch(resource, {std::string(builders::kNamespace), std::string(name)}, patch,
                    {.subresource = std::string(subresource)}, Deadline::never()));
  }
  void scale(int replicas) {
    change(kube::resource_of<api::MachineSet>(), "ms1", {{"spec", {{"replicas", replicas}}}});
  }
  // What the Machine controller does in the end.
  void let_go_of_deleted() {
    for (const auto& machine : machines()) {
      if (!machine.metadata.deleting()) continue;
      change(kube::resource_of<api::Machine>(), machine.metadata.name.view(),
             {{"metadata", {{"finalizers", nullptr}}}});
    }
  }
  // Each Machine has one of its own name, and says so.
  void put_nodes(const kube::ObjectKey& cluster) {
    for (const std::string& name : machine_names()) {
      workloads.put_node(cluster, builders::a_node(name).build());
      change(kube::resource_of<api::Machine>(), name, {{"status", {{"nodeRef", {{"name", name}}}}}},
             "status");
    }
    settle();
  }
  // From now on the server keeps whatever a Machine says.
  void take_any_machine() {
    const auto& crds = kube::resources::custom_resource_definitions();
    const kube::ObjectKey key{.namespace_ = {}, .name = "machines.cluster.x-k8s.io"};
    json::value versions = user.get(crds, key, Deadline::never())->at("spec").at("versions");
    versions.at(0).at("schema") = {
        {"openAPIV3Schema", {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}};
    must(user.patch(crds, key, {{"spec", {{"versions", versions}}}}, {}, Deadline::never()));
  }
  // The first of three writes.
  void put_as_a_set_does(std::string_view name) {
    must(user.patch(
        kube::resource_of<api::Machine>(), {std::string(builders::kNamespace), std::string(name)},
        kube::apply_intent(api::to_json(*new_machine(adjusted(set(), nullptr), name))),
        {.type = kube::PatchType::Apply, .field_manager = std::string(api::field_manager::kMachineSet)},
        Deadline::never()));
  }
  void remove(const kube::Resource& resource, const std::string& name) {
    must(user.remove(resource, {std::string(builders::kNamespace), name}, {}, Deadline::never()));
  }
  // "Machine ms1-xxxxx", its owners.
  std::vector<std::string> owners_of(const kube::Resource& resource) {
    std::vector<std::string> found;
    for (const auto& item : all(resource)) {
      const auto read = *api::from_json<api::contract::ContractObject>(item);
      for (const auto& owner : *read.metadata.owner_references) {
        found.push_back(fmt::format("{} {}{}", owner.kind.view(), owner.name.view(),
                                    owner.is_controller() ? ", controller" : ""));
      }
    }
    return found;
  }
};

inline void in_simulation(const std::function<void(Stage&)>& body, bool braked = false) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    fakes::Baton baton({.seed = seed});
    const auto report = baton.run([&] {
      Stage stage(baton, braked);
      body(stage);
      stage.stop();
    });
    ASSERT_TRUE(report.finished()) << "seed " << seed << ": " << report.why;
  }
}

inline std::size_t count_of(const std::vector<std::string>& writes, std::string_view what) {
  return static_cast<std::size_t>(std::ranges::count(writes, what));
}

}  // namespace capstan::controllers::machineset
