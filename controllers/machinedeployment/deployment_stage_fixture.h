// A management cluster with the MachineDeployment controller in it, for tests of its whole turns: the
// embedded API server under the baton, real caches, real watches, the real gate, virtual time. The test plays
// MachineSets and users.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/conditions/conditions.h"
#include "api/schema/crd.h"
#include "apiserver/api.h"
#include "controllers/machinedeployment/reconciler.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "kube/watch_loop.h"
#include "runtime/controller.h"
#include "runtime/informer.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"
#include "test/fakes/baton.h"
#include "test/fakes/fake_workload_clusters.h"
#include "test/fakes/faulty_client.h"
#include "test/fakes/memory_client.h"
#include "test/fakes/recorded_events.h"

namespace capstan::controllers::machinedeployment {

namespace annotation = api::annotation;
namespace json = boost::json;
using builders::a_cluster;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::kNamespace;
using fakes::Baton;
using fakes::FaultPoint;

inline kube::Resource provider(std::string_view group, std::string_view plural, std::string_view kind) {
  return {.group = std::string(group),
          .version = "v1beta2",
          .plural = std::string(plural),
          .kind = std::string(kind)};
}
inline const kube::Resource kInfraTemplates =
    provider(api::group::kInfrastructure, "dockermachinetemplates", "DockerMachineTemplate");
inline const kube::Resource kConfigTemplates =
    provider(api::group::kBootstrap, "kubeadmconfigtemplates", "KubeadmConfigTemplate");

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
    const std::string number = std::to_string(++count_);
    return std::string(length - number.size(), 'x') + number;
  }

 private:
  int count_ = 0;
};

// The server's own, which the manager's may be ahead of.
class LateClock final : public Clock {
 public:
  LateClock(const Clock& right, Seconds late) : right_(right), late_(late) {}
  WallTime now() const override { return right_.now() - late_; }
  SteadyTime steady_now() const override { return right_.steady_now(); }

 private:
  const Clock& right_;
  const Seconds late_;
};

// Lets the manager change every object but one.
class Gatekeeper final : public apiserver::Admission {
 public:
  std::optional<apiserver::Response> answer = {};  // while it keeps the manager away from MachineSet stray
  int asked = 0;

  std::expected<apiserver::ObjectPtr, apiserver::Response> mutate(
      const apiserver::AdmissionReviewRequest& request, std::vector<std::string>&) override {
    return request.object;
  }
  std::optional<apiserver::Response> validate(const apiserver::AdmissionReviewRequest& request,
                                              std::vector<std::string>&) override {
    const bool concerned = request.user.name == "manager" && request.name == "stray";
    asked += concerned ? 1 : 0;
    return concerned ? answer : std::nullopt;
  }
};

// A server, a user, and a manager with this one controller.
struct Stage {
  Baton& baton;
  LateClock servers_clock;
  Gatekeeper gatekeeper;
  apiserver::Api api;
  fakes::MemoryClient user;
  fakes::MemoryClient wire;
  std::function<fakes::Fault(const FaultPoint&)> choose = {};  // of the manager's calls
  Nanoseconds fault_span = Seconds(2);                         // of those that take their time
  std::vector<std::string> writes = {};                        // of the manager, that took place
  fakes::FaultyClient network;
  kube::WatchLoop loop;
  Caches caches;
  fakes::RecordedEvents events;
  CountedNames names;
  runtime::OpenBrake brake;
  fakes::FakeWorkloadClusters workloads;
  SeededRandomness randomness{1};
  Reconciler reconciler;
  runtime::Controller controller;
  runtime::DynamicInformers dynamic;
  runtime::ExternalRefs externals;
  std::vector<std::unique_ptr<runtime::InformerState>> informers = {};
  std::deque<std::function<void()>> stops = {};

  explicit Stage(Baton& with, Seconds server_is_late = {})
      : baton(with),
        servers_clock(with, server_is_late),
        api({.clock = servers_clock, .admission = &gatekeeper}),
        user(api, baton, {.user = "user", .user_agent = "kubectl/1"}),
        wire(api, baton, {.user = "manager", .user_agent = "manager/1"}),
        network(wire, baton, baton,
                {.choose = [this](const FaultPoint& at) { return choose ? choose(at) : fakes::Fault::None; },
                 .span = [this] { return fault_span; },
                 .on_effect =
                     [this](const FaultPoint& at) {
                       writes.push_back(std::string(to_string(at.call)) + " " + std::string(at.kind));
                     }}),
        loop(baton, baton),
        reconciler({.clock = baton,
                    .threads = baton,
                    .client = network,
                    .caches = caches,
                    .workload_clusters = workloads,
                    .events = events,
                    .names = names,
                    .brake = brake}),
        controller({.clock = baton, .threads = baton, .client = network, .randomness = randomness},
                   {.name = "machinedeployment", .kind = "MachineDeployment", .concurrency = 3}, reconciler),
        dynamic({.loop = loop, .client = network}),
        externals(dynamic, caches.crds,
                  {.group = api::group::kCluster, .kind = api::kind::kMachineDeployment},
                  controller.queue()) {
    reconciler.bind(
        {.consistency = controller.consistency(), .externals = externals, .queue = controller.queue()});
    reconciler.add_triggers(controller.queue());
    const auto crd = [&](const json::value& document) {
      must(user.create(kube::resources::custom_resource_definitions(), {}, document, {}, Deadline::never()));
    };
    crd(api::crd<api::Cluster>());
    crd(api::crd<api::Machine>());
    crd(api::crd<api::MachineSet>());
    crd(api::crd<api::MachineDeployment>());
    for (const auto& each : {kInfraTemplates, kConfigTemplates}) crd(provider_crd(each));
  }

  // --- the server ---
  template <typename T>
  void must(const Result<T>& result) {
    ASSERT_TRUE(result) << result.error().describe();
  }
  void put(const kube::Resource& resource, const json::value& object) {
    const auto& name = object.at("metadata").at("name").as_string();
    must(user.create(resource, {std::string(kNamespace), std::string(name)}, object, {}, Deadline::never()));
  }
  template <typename T>
  void put(const T& object) {
    json::value document = api::to_json(object);
    auto& metadata = document.at("metadata").as_object();
    for (const auto* field : {"uid", "resourceVersion", "creationTimestamp", "generation"})
      metadata.erase(field);
    put(kube::resource_of<T>(), document);
  }
  void put_template(const kube::Resource& resource, std::string_view name) {
    put(resource, {{"apiVersion", resource.api_version()},
                   {"kind", resource.kind},
                   {"metadata", {{"name", name}, {"namespace", kNamespace}}},
                   {"spec", {{"template", {{"spec", {{"size", "large"}}}}}}}});
  }
  void put_templates() {
    put_template(kInfraTemplates, "md1");
    put_template(kConfigTemplates, "md1");
  }
  void put_world(const api::MachineDeployment& deployment) {
    put(a_cluster().without_control_plane_ref().build());
    put_templates();
    put(deployment);
  }
  kube::ObjectKey key(std::string_view name = "md1") const {
    return {std::string(kNamespace), std::string(name)};
  }
  template <typename T>
  void edit(std::string_view name, std::string_view patch, std::string_view subresource = "") {
    must(user.patch(kube::resource_of<T>(), key(name), json::parse(patch),
                    {.subresource = std::string(subresource)}, Deadline::never()));
  }
  // As kubectl delete --cascade=orphan does; no garbage is collected before collect_garbage().
  void remove_and_orphan() {
    must(user.remove(kube::resource_of<api::MachineDeployment>(), key(),
                     {.propagation = kube::Propagation::Orphan}, Deadline::never()));
  }
  void collect_garbage() {
    while (api.run_controllers()) {
    }
  }
  void edit(std::string_view patch) { edit<api::MachineDeployment>("md1", patch); }

  // What changes of that kind reaches the manager that much later.
  void delay_watch(std::string_view kind, Nanoseconds span) {
    fault_span = span;
    choose = [kind](const FaultPoint& at) {
      return at.call == fakes::Call::Piece && at.kind == kind ? fakes::Fault::Stale : fakes::Fault::None;
    };
  }

  // --- the manager ---
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
    settle(Seconds(1));
    controller.start();
    settle();
  }
  void stop() {
    controller.stop();
    for (const auto& each : stops) each();
    stops.clear();
  }
  void settle(Nanoseconds span = Seconds(20)) { baton.pause(Deadline::in(baton, span)); }
  std::vector<std::string> writes_since_then() { return std::exchange(writes, {}); }

  // --- what is there ---
  std::vector<api::MachineSet> sets() {
    const auto listed = kube::list<api::MachineSet>(user, {}, Deadline::never());
    std::vector<api::MachineSet> found = listed->items;
    std::ranges::sort(found, {}, [](const auto& set) {
      return std::tuple(set.metadata.creation_timestamp, set.metadata.name.view());
    });
    return found;
  }
  std::vector<std::int32_t> sizes() {
    std::vector<std::int32_t> found;
    for (const auto& set : sets()) found.push_back(set.spec.replicas.value_or(-1));
    return found;
  }
  api::MachineDeployment deployment() {
    return *kube::get<api::MachineDeployment>(user, key(), Deadline::never());
  }
  bool is_gone() { return !kube::get<api::MachineDeployment>(user, key(), Deadline::never()); }
  std::string says(std::string_view type) {
    const auto read = deployment();
    const auto found = api::conditions::find(read.status.conditions, type);
    return found == nullptr ? std::string("absent")
                            : found->status.str() + " " + found->reason.str() + ": " + found->message.str();
  }

  // Every set gets the Machines it wants, all of them work; those of the newest set are up to date. One on
  // its way out reports nothing any more.
  void play_sets() {
    const std::string current(deployment().metadata.annotations.value_or_empty(annotation::kRevision));
    for (const auto& set : sets()) {
      if (set.metadata.deleting()) continue;
      api::MachineSet after = set;
      after.status.replicas = after.status.available_replicas = after.status.ready_replicas =
          set.spec.replicas;
      after.status.up_to_date_replicas =
          set.metadata.annotations.value_or_empty(annotation::kRevision) == current ? *set.spec.replicas : 0;
      after.status.observed_generation = set.metadata.generation;
      must(kube::patch_status(user, set, after, Deadline::never()));
    }
  }
};

inline void in_a_world(const std::function<void(Stage&)>& story, Seconds server_is_late = {}) {
  Baton baton({.seed = 7});
  const auto report = baton.run([&] {
    Stage stage(baton, server_is_late);
    story(stage);
    stage.stop();
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

// A deployment of three at rest, all Machines available.
inline void at_rest(const std::function<void(Stage&)>& story, Seconds server_is_late = {}) {
  const auto settled = [&](Stage& stage) {
    stage.put_world(a_machine_deployment().replicas(3).version("v1.33.0"));
    stage.start();
    stage.play_sets();
    stage.settle();
    stage.writes.clear();
    stage.events.events.clear();
    story(stage);
  };
  in_a_world(settled, server_is_late);
}

}  // namespace capstan::controllers::machinedeployment
