// Whole turns of the MachineDeployment controller against the embedded API server, under the baton: real
// caches, real watches, the real gate, virtual time. The test plays MachineSets and users.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <deque>

#include "api/conditions/conditions.h"
#include "api/schema/crd.h"
#include "apiserver/api.h"
#include "apiserver/status_error.h"
#include "controllers/machinedeployment/observe.h"
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

namespace capstan::controllers::machinedeployment {
namespace {

namespace annotation = api::annotation;
namespace json = boost::json;
using namespace std::chrono_literals;
using builders::a_cluster;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::kNamespace;
using fakes::Baton;
using fakes::Fault;
using fakes::FaultPoint;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

kube::Resource provider(std::string_view group, std::string_view plural, std::string_view kind) {
  return {.group = std::string(group),
          .version = "v1beta2",
          .plural = std::string(plural),
          .kind = std::string(kind)};
}
const kube::Resource kInfraTemplates =
    provider(api::group::kInfrastructure, "dockermachinetemplates", "DockerMachineTemplate");
const kube::Resource kConfigTemplates =
    provider(api::group::kBootstrap, "kubeadmconfigtemplates", "KubeadmConfigTemplate");

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
                          {"schema",
                           {{"openAPIV3Schema",
                             {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}}}}}}}}};
}

class HeardEvents final : public runtime::EventRecorder {
 public:
  void record(const api::ObjectReference&, runtime::EventType type, std::string_view reason,
              std::string_view message) override {
    events.push_back(std::string(to_string(type)) + " " + std::string(reason) + " " + std::string(message));
  }
  std::vector<std::string> events = {};
};

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
  std::function<Fault(const FaultPoint&)> choose = {};  // of the manager's calls
  std::vector<std::string> writes = {};                 // of the manager, that took place
  fakes::FaultyClient network;
  kube::WatchLoop loop;
  Caches caches;
  HeardEvents events;
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
                {.choose = [this](const FaultPoint& at) { return choose ? choose(at) : Fault::None; },
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
  void edit(std::string_view patch) { edit<api::MachineDeployment>("md1", patch); }

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
    settle(1s);
    controller.start();
    settle();
  }
  void stop() {
    controller.stop();
    for (const auto& each : stops) each();
    stops.clear();
  }
  void settle(Nanoseconds span = 20s) { baton.pause(Deadline::in(baton, span)); }
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

  // Every set gets the Machines it wants, all of them work; those of the newest set are up to date.
  void play_sets() {
    const std::string current(deployment().metadata.annotations.value_or_empty(annotation::kRevision));
    for (const auto& set : sets()) {
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

void in_a_world(const std::function<void(Stage&)>& story, Seconds server_is_late = {}) {
  Baton baton({.seed = 7});
  const auto report = baton.run([&] {
    Stage stage(baton, server_is_late);
    story(stage);
    stage.stop();
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

// A deployment of three at rest, all Machines available.
void at_rest(const std::function<void(Stage&)>& story, Seconds server_is_late = {}) {
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

// --- creation ---

TEST(Turns, ANewDeploymentCostsFiveWrites) {
  in_a_world([](Stage& stage) {
    stage.put_world(a_machine_deployment().replicas(3).version("v1.33.0"));

    stage.start();

    // Finalizer, label, Cluster as owner and revision; the Cluster owns both templates; the set; the status.
    EXPECT_THAT(stage.writes,
                ElementsAre("patch MachineDeployment", "patch DockerMachineTemplate",
                            "patch KubeadmConfigTemplate", "patch MachineSet", "patch MachineDeployment"));
    EXPECT_THAT(stage.sizes(), ElementsAre(3));
  });
}

TEST(Turns, AFirstSetHasEverythingItsMachinesAreFoundBy) {
  in_a_world([](Stage& stage) {
    stage.put_world(a_machine_deployment()
                        .replicas(3)
                        .version("v1.33.0")
                        .annotated("user", "note")
                        .annotated(annotation::kLastAppliedConfiguration, "{}"));

    stage.start();

    ASSERT_THAT(stage.sets(), SizeIs(1));
    const auto set = stage.sets().front();
    const auto hash = set.metadata.labels.value_or_empty(api::label::kMachineTemplateHash);
    EXPECT_TRUE(hash.ends_with(set.metadata.name.view().substr(4))) << hash;
    EXPECT_EQ(set.spec.selector.match_labels.value_or_empty(api::label::kMachineTemplateHash), hash);
    EXPECT_EQ(set.spec.machine_template.metadata.labels.value_or_empty(api::label::kMachineTemplateHash),
              hash);
    EXPECT_EQ(set.metadata.labels.value_or_empty(api::label::kDeploymentName), "md1");
    EXPECT_EQ(set.metadata.annotations, (api::TextMap{{"user", "note"},
                                                      {annotation::kRevision, "1"},
                                                      {annotation::kDesiredReplicas, "3"},
                                                      {annotation::kMaxReplicas, "4"},
                                                      {annotation::kDisableMachineCreate, "false"}}));
    ASSERT_NE(set.metadata.controller(), nullptr);
    EXPECT_EQ(set.metadata.controller()->uid, stage.deployment().metadata.uid);
    EXPECT_NE(set.metadata.managed_fields.applied_by(api::field_manager::kMachineDeployment), nullptr);
    EXPECT_THAT(stage.events.events,
                ElementsAre(HasSubstr("Normal SuccessfulCreate Created MachineSet default/md1-")));
  });
}

TEST(Turns, TheDeploymentSaysWhoseItIsAndWhatItSelects) {
  at_rest([](Stage& stage) {
    const auto now = stage.deployment();

    EXPECT_TRUE(now.metadata.has_finalizer(api::finalizer::kMachineDeployment));
    EXPECT_EQ(now.metadata.labels.value_or_empty(api::label::kClusterName), "c1");
    EXPECT_EQ(now.metadata.annotations.value_or_empty(annotation::kRevision), "1");
    ASSERT_THAT(*now.metadata.owner_references, SizeIs(1));
    EXPECT_EQ(now.metadata.owner_references->front().kind, "Cluster");
    EXPECT_FALSE(now.metadata.owner_references->front().is_controller());
    EXPECT_EQ(now.status.selector, "cluster.x-k8s.io/cluster-name=c1,cluster.x-k8s.io/deployment-name=md1");
    EXPECT_EQ(now.status.observed_generation, 1);
    EXPECT_EQ(now.status.replicas, 3);
    EXPECT_EQ(now.status.phase, "Running");
    EXPECT_EQ(stage.says("Available"), "True Available: ");
    EXPECT_EQ(stage.says("Paused"), "False NotPaused: ");
  });
}

TEST(Turns, AtRestNothingIsWritten) {
  at_rest([](Stage& stage) {
    stage.controller.queue().add(stage.key());
    stage.settle(10min);

    EXPECT_THAT(stage.writes, IsEmpty());
  });
}

TEST(Turns, ALostReplyMakesNoSecondSet) {
  in_a_world([](Stage& stage) {
    stage.put_world(a_machine_deployment().replicas(3));
    bool lost = false;
    stage.choose = [&](const FaultPoint& at) {
      if (at.kind != "MachineSet" || at.call != fakes::Call::Patch || lost) return Fault::None;
      lost = true;
      return Fault::LostReply;
    };

    stage.start();
    stage.settle(3min);

    EXPECT_TRUE(lost);
    EXPECT_THAT(stage.sets(), SizeIs(1));
  });
}

TEST(Turns, AStrangersNameIsLeftToIt) {
  in_a_world([](Stage& stage) {
    stage.put_world(a_machine_deployment().replicas(3));
    for (const auto* name : {"md1-xxxx1", "md1-xxxx2", "md1-xxxx3"}) stage.put(a_machine_set(name).build());

    stage.start();

    std::vector<std::string> ours;
    for (const auto& set : stage.sets()) {
      if (set.metadata.controller() != nullptr) ours.push_back(set.metadata.name.str());
    }
    EXPECT_THAT(ours, ElementsAre(testing::MatchesRegex("md1-xxxx[4-9]")));
    EXPECT_THAT(stage.sets(), SizeIs(4));
    EXPECT_THAT(stage.events.events,
                Contains(HasSubstr("Warning FailedCreate Failed to create MachineSet: ")));
  });
}

// An apply under the name of an older set of its own would change that one and lose its Machines.
TEST(Turns, ANewSetNeverGetsTheNameOfAnOlderOne) {
  at_rest([](Stage& stage) {
    const std::string old = stage.sets().front().metadata.name.str();
    stage.names.first = {old.substr(old.size() - kNameSuffixLength)};

    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.35.0"}}}})");
    stage.settle(1s);

    ASSERT_THAT(stage.sets(), SizeIs(2));
    for (const auto& set : stage.sets()) {
      EXPECT_EQ(set.spec.machine_template.spec.version == "v1.35.0", set.metadata.name != old);
    }
  });
}

TEST(Turns, ADeploymentThatNoWebhookSawGetsItsDefaultsAllTheSame) {
  in_a_world([](Stage& stage) {
    stage.put_world(a_machine_deployment().with([](auto& deployment) {
      deployment.spec.replicas.reset();
      deployment.spec.rollout = {};
      deployment.spec.selector = {};
      deployment.spec.machine_template.metadata = {};
      deployment.metadata.labels = {};
    }));

    stage.start();

    EXPECT_THAT(stage.sizes(), ElementsAre(1));
    const auto set = stage.sets().front();
    EXPECT_EQ(set.spec.selector.match_labels.value_or_empty(api::label::kDeploymentName), "md1");
    EXPECT_EQ(set.spec.machine_template.metadata.labels.value_or_empty(api::label::kClusterName), "c1");
    EXPECT_EQ(set.metadata.annotations.value_or_empty(annotation::kMaxReplicas), "2");
  });
}

// --- rolling ---

TEST(Turns, ARollCostsOneApplyPerStepAndAStatusWhenItChanges) {
  at_rest([](Stage& stage) {
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.34.0"}}}})");
    stage.settle();

    // The set is new, the revision is noted, the status tells of the new generation.
    EXPECT_THAT(stage.writes_since_then(),
                ElementsAre("patch MachineSet", "patch MachineDeployment", "patch MachineDeployment"));
    EXPECT_THAT(stage.sizes(), ElementsAre(3, 1));

    stage.play_sets();
    stage.settle();

    // That the old Machines are out of date is told already. The new one is available: the next step, told.
    EXPECT_THAT(stage.writes_since_then(), ElementsAre("patch MachineSet", "patch MachineDeployment"));
    EXPECT_THAT(stage.sizes(), ElementsAre(2, 1));

    stage.play_sets();
    stage.settle();

    EXPECT_THAT(stage.writes_since_then(), ElementsAre("patch MachineSet", "patch MachineDeployment"));
    EXPECT_THAT(stage.sizes(), ElementsAre(2, 2));
  });
}

TEST(Turns, ARollEndsWithTheOldSetGone) {
  at_rest([](Stage& stage) {
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.34.0"}}}})");
    for (int step = 0; step < 8; ++step) {
      stage.settle();
      stage.play_sets();
    }
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(3));
    EXPECT_EQ(stage.sets().front().metadata.annotations.value_or_empty(annotation::kRevision), "2");
    EXPECT_EQ(stage.deployment().metadata.annotations.value_or_empty(annotation::kRevision), "2");
    EXPECT_THAT(stage.writes, Contains("remove MachineSet").Times(1));
    EXPECT_THAT(stage.events.events,
                Contains(HasSubstr("Normal SuccessfulDelete Deleted MachineSet \"md1-")));
    EXPECT_THAT(stage.events.events,
                Contains(HasSubstr("Normal SuccessfulScale Scaled down MachineSet md1-")));
  });
}

TEST(Turns, AnOldSetWithAMachineIsNeverRemoved) {
  at_rest([](Stage& stage) {
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.34.0"}}}})");
    stage.settle();
    const auto old = stage.sets().front();
    // Its status denies the Machine, its owner reference does not.
    api::Machine machine = builders::a_machine("late");
    api::OwnerReference owner = builders::controller_of("MachineSet", old.metadata.name.view());
    owner.uid = old.metadata.uid;
    machine.metadata.owner_references = api::OwnerReferences({owner});
    stage.put(machine);
    for (int step = 0; step < 8; ++step) {
      stage.settle();
      stage.play_sets();
    }
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(0, 3));
  });
}

TEST(Turns, BackToAnEarlierTemplateTakesUpItsSet) {
  at_rest([](Stage& stage) {
    const auto first = stage.sets().front().metadata.name;
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.34.0"}}}})");
    stage.settle();
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.33.0"}}}})");
    stage.settle();

    const auto sets = stage.sets();
    ASSERT_THAT(sets, Not(IsEmpty()));
    EXPECT_EQ(sets.front().metadata.name, first);
    EXPECT_EQ(sets.front().metadata.annotations.value_or_empty(annotation::kRevision), "3");
    EXPECT_EQ(sets.front().metadata.annotations.value_or_empty(annotation::kRevisionHistory), "1");
    EXPECT_EQ(stage.deployment().metadata.annotations.value_or_empty(annotation::kRevision), "3");
  });
}

TEST(Turns, RolloutAfterFiresOnTimeWithoutAnyEvent) {
  at_rest([](Stage& stage) {
    const Time moment = Time::from(stage.baton.now()) + Seconds(3600);
    stage.edit(R"({"spec":{"rollout":{"after":")" + moment.to_string() + R"("}}})");
    stage.settle(30min);
    EXPECT_THAT(stage.sizes(), ElementsAre(3));

    stage.settle(31min);

    EXPECT_THAT(stage.sizes(), ElementsAre(3, 1));
  });
}

// The set just made was older than the moment by the server's clock, and so was the next one.
TEST(Turns, RolloutAfterMakesOneSetAlsoWhereTheServersClockIsBehind) {
  const auto story = [](Stage& stage) {
    const Time moment = Time::from(stage.baton.now()) + Seconds(3600);
    stage.edit(R"({"spec":{"rollout":{"after":")" + moment.to_string() + R"("}}})");

    stage.settle(61min);

    EXPECT_THAT(stage.sizes(), ElementsAre(3, 1));
  };
  at_rest(story, Seconds(3));
}

// --- scaling and changes in place ---

TEST(Turns, ScalingCostsOneApply) {
  at_rest([](Stage& stage) {
    stage.edit(R"({"spec":{"replicas":5}})");
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(5));
    EXPECT_THAT(stage.writes, ElementsAre("patch MachineSet", "patch MachineDeployment"));
    EXPECT_THAT(stage.events.events,
                ElementsAre(HasSubstr("Normal SuccessfulScale Scaled up MachineSet md1-")));
    EXPECT_EQ(stage.says("ScalingUp"), "True ScalingUp: Scaling up from 3 to 5 replicas");
  });
}

TEST(Turns, LabelsComeAndGoInPlace) {
  at_rest([](Stage& stage) {
    stage.edit(R"({"spec":{"template":{"metadata":{"labels":{"team":"blue"}}}}})");
    stage.settle();
    ASSERT_THAT(stage.sets(), SizeIs(1));
    EXPECT_EQ(stage.sets().front().spec.machine_template.metadata.labels.value_or_empty("team"), "blue");
    EXPECT_EQ(stage.sets().front().metadata.labels.value_or_empty("team"), "blue");

    stage.edit<api::MachineSet>(stage.sets().front().metadata.name.view(),
                                R"({"metadata":{"labels":{"theirs":"stays"}}})");
    stage.edit(R"({"spec":{"template":{"metadata":{"labels":{"team":null}}}}})");
    stage.settle();

    const auto set = stage.sets().front();
    EXPECT_FALSE(set.spec.machine_template.metadata.labels.contains("team"));
    EXPECT_FALSE(set.metadata.labels.contains("team"));
    EXPECT_EQ(set.metadata.labels.value_or_empty("theirs"), "stays");
  });
}

TEST(Turns, AUsersEditOfASetIsUndone) {
  at_rest([](Stage& stage) {
    const auto name = stage.sets().front().metadata.name;
    stage.edit<api::MachineSet>(
        name.view(),
        R"({"spec":{"replicas":9},"metadata":{"annotations":{"cluster.x-k8s.io/disable-machine-create":"true"}}})");
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(3));
    EXPECT_EQ(stage.sets().front().metadata.annotations.value_or_empty(annotation::kDisableMachineCreate),
              "false");
    EXPECT_THAT(stage.events.events, Contains(HasSubstr("9 -> 3")));
  });
}

// --- pause ---

TEST(Turns, APausedDeploymentGetsAFinalizerAndACondition) {
  in_a_world([](Stage& stage) {
    stage.put_world(a_machine_deployment().paused());

    stage.start();

    EXPECT_THAT(stage.writes, ElementsAre("patch MachineDeployment", "patch MachineDeployment"));
    EXPECT_EQ(stage.says("Paused"),
              "True Paused: MachineDeployment has the cluster.x-k8s.io/paused annotation");
    EXPECT_THAT(stage.sets(), IsEmpty());
  });
}

TEST(Turns, AClusterThatGoesOnWakesItsDeployments) {
  in_a_world([](Stage& stage) {
    stage.put(a_cluster().without_control_plane_ref().held().build());
    stage.put_templates();
    stage.put(a_machine_deployment().build());
    stage.start();
    EXPECT_THAT(stage.sets(), IsEmpty());

    stage.edit<api::Cluster>("c1", R"({"spec":{"paused":false}})");
    stage.settle();

    EXPECT_THAT(stage.sets(), SizeIs(1));
    EXPECT_EQ(stage.says("Paused"), "False NotPaused: ");
  });
}

TEST(Turns, APausedRolloutKeepsItsRevision) {
  at_rest([](Stage& stage) {
    stage.edit(R"({"spec":{"paused":true,"template":{"spec":{"version":"v1.34.0"}}}})");
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(3));
    EXPECT_EQ(stage.deployment().metadata.annotations.value_or_empty(annotation::kRevision), "1");
  });
}

TEST(Turns, ScalingWhilePausedCostsOneApply) {
  at_rest([](Stage& stage) {
    stage.edit(R"({"spec":{"paused":true}})");
    stage.settle();
    stage.writes.clear();

    stage.edit(R"({"spec":{"replicas":4}})");
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(4));
    EXPECT_THAT(stage.writes, ElementsAre("patch MachineSet", "patch MachineDeployment"));
    EXPECT_THAT(stage.events.events,
                Contains(HasSubstr("Normal SuccessfulScale Scaled MachineSet default/md1-")));
  });
}

// --- what a user sees ---

// Who waits for a rollout (kubectl rollout status) believes the counters as soon as the generation is new.
TEST(Turns, ANewGenerationIsNeverShownWithTheCountersOfTheLast) {
  at_rest([](Stage& stage) {
    const auto before = stage.deployment();
    ASSERT_EQ(before.status.up_to_date_replicas, 3);

    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.34.0"}}}})");
    stage.settle();

    const auto after = stage.deployment();
    EXPECT_GT(after.status.observed_generation, before.status.observed_generation);
    EXPECT_EQ(after.status.up_to_date_replicas, 0);
    EXPECT_EQ(after.status.available_replicas, 3);
  });
}

TEST(Turns, AClusterThatIsDeletedIsNoWarning) {
  at_rest([](Stage& stage) {
    stage.edit<api::Cluster>("c1", R"({"metadata":{"finalizers":["cluster.cluster.x-k8s.io"]}})");
    stage.must(stage.user.remove(kube::resource_of<api::Cluster>(), stage.key("c1"), {}, Deadline::never()));
    stage.settle();

    EXPECT_EQ(stage.says("ScalingUp"),
              "False NotScalingUp: Scaling up would be blocked because Cluster c1 is being deleted");
    EXPECT_THAT(stage.events.events, IsEmpty());
  });
}

TEST(Turns, AClusterThatIsDeletedWhileMachinesAreMissingIsTold) {
  at_rest([](Stage& stage) {
    stage.edit<api::Cluster>("c1", R"({"metadata":{"finalizers":["cluster.cluster.x-k8s.io"]}})");
    stage.must(stage.user.remove(kube::resource_of<api::Cluster>(), stage.key("c1"), {}, Deadline::never()));
    stage.edit(R"({"spec":{"replicas":5}})");
    stage.settle();

    EXPECT_THAT(stage.says("ScalingUp"), HasSubstr("is blocked because Cluster c1 is being deleted"));
    EXPECT_THAT(stage.events.events, ElementsAre(HasSubstr("Warning RolloutBlocked spec.clusterName: ")));
  });
}

// --- bad input ---

TEST(Turns, AMissingTemplateIsToldAndWaitedFor) {
  in_a_world([](Stage& stage) {
    stage.put(a_cluster().without_control_plane_ref().build());
    stage.put_template(kConfigTemplates, "md1");
    stage.put(a_machine_deployment().replicas(3).build());
    stage.start();

    EXPECT_EQ(stage.says("ScalingUp"),
              "True ScalingUp: Scaling up from 0 to 3 replicas is blocked because DockerMachineTemplate does "
              "not exist");
    EXPECT_THAT(stage.events.events,
                ElementsAre("Warning RolloutBlocked spec.template.spec.infrastructureRef: "
                            "DockerMachineTemplate md1 does not exist; create it or change the reference"));
    EXPECT_EQ(stage.deployment().status.observed_generation, 0);

    stage.put_template(kInfraTemplates, "md1");
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(3));
  });
}

TEST(Turns, ASelectorThatMissesItsTemplateMakesNothing) {
  in_a_world([](Stage& stage) {
    stage.put_world(a_machine_deployment().with(
        [](auto& deployment) { deployment.spec.selector.match_labels.set("team", "red"); }));
    stage.start();

    EXPECT_THAT(stage.sets(), IsEmpty());
    EXPECT_THAT(stage.says("ScalingUp"),
                HasSubstr("is blocked because spec.selector does not match spec.template.metadata.labels"));
    EXPECT_THAT(stage.events.events,
                ElementsAre(HasSubstr("Warning RolloutBlocked spec.template.metadata.labels: "
                                      "spec.selector wants ")));

    stage.edit(R"({"spec":{"template":{"metadata":{"labels":{"team":"red"}}}}})");
    stage.settle();

    EXPECT_THAT(stage.sets(), SizeIs(1));
  });
}

TEST(Turns, AMissingClusterIsToldAndWaitedFor) {
  in_a_world([](Stage& stage) {
    stage.put_templates();
    stage.put(a_machine_deployment().build());
    stage.start();
    EXPECT_THAT(stage.sets(), IsEmpty());
    EXPECT_THAT(stage.says("ScalingUp"), HasSubstr("is blocked because Cluster c1 does not exist"));

    stage.put(a_cluster().without_control_plane_ref().build());
    stage.settle();

    EXPECT_THAT(stage.sets(), SizeIs(1));
  });
}

// Nobody controls it, and md1 selects it: two replicas of its template.
api::MachineSet a_stray() {
  return a_machine_set("stray")
      .version("v1.33.0")
      .replicas(2)
      .labelled(api::label::kDeploymentName, "md1")
      .labelled(api::label::kMachineTemplateHash, "1-aaaaa")
      .with([](auto& set) {
        set.spec.machine_template.spec =
            a_machine_deployment().version("v1.33.0").build().spec.machine_template.spec;
      })
      .build();
}

TEST(Turns, AMachineSetNobodyControlsIsAdopted) {
  in_a_world([](Stage& stage) {
    stage.put_world(a_machine_deployment().version("v1.33.0"));
    stage.put(a_stray());
    stage.start();

    ASSERT_THAT(stage.sets(), SizeIs(1));
    const auto set = stage.sets().front();
    EXPECT_EQ(set.metadata.name, "stray");
    ASSERT_NE(set.metadata.controller(), nullptr);
    EXPECT_EQ(set.metadata.controller()->name, "md1");
    EXPECT_EQ(set.spec.selector.match_labels.value_or_empty(api::label::kMachineTemplateHash), "1-aaaaa");
    EXPECT_THAT(stage.events.events, Contains("Normal SuccessfulAdopt Adopted MachineSet \"stray\""));
  });
}

TEST(Turns, AnAdoptedSetWithoutAHashIsToldWithItsRemedy) {
  in_a_world([](Stage& stage) {
    stage.put_world(a_machine_deployment());
    stage.put(a_machine_set("stray").labelled(api::label::kDeploymentName, "md1").build());
    stage.start();

    EXPECT_THAT(stage.says("ScalingUp"), HasSubstr("MachineSet stray has no label machine-template-hash"));
    EXPECT_THAT(stage.events.events,
                Contains(HasSubstr("Warning RolloutBlocked MachineSet stray has no label")));
  });
}

// --- a MachineSet that may not be adopted ---

const auto kDenied = apiserver::status_error(403, "Forbidden", "policy: hands off stray");
const auto kOutOfOrder = apiserver::status_error(500, "InternalError", "failed calling webhook at :43117");

// Whoever adopts it gets that answer.
void put_stray(Stage& stage, const apiserver::Response& answer) {
  stage.gatekeeper.answer = answer;
  stage.put(a_stray());
  stage.settle();
}

TEST(Turns, ADeploymentScalesAndRollsBesideASetItMayNotAdopt) {
  at_rest([](Stage& stage) {
    put_stray(stage, kDenied);
    stage.edit(R"({"spec":{"replicas":4}})");
    stage.settle();
    EXPECT_THAT(stage.sizes(), ElementsAre(4, 2));

    stage.play_sets();
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.34.0"}}}})");
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(4, 2, 1));  // its own five, and the stranger's two
    EXPECT_EQ(stage.deployment().status.observed_generation, stage.deployment().metadata.generation);
  });
}

TEST(Turns, ASetThatMayNotBeAdoptedIsNamedAndTriedAgain) {
  at_rest([](Stage& stage) {
    put_stray(stage, kDenied);

    EXPECT_EQ(stage.says("ScalingUp"),
              "False NotScalingUp: * MachineSet stray could not be adopted: patch MachineSet default/stray: "
              "policy: "
              "hands off stray");
    EXPECT_THAT(stage.events.events,
                Contains("Warning FailedAdopt Failed to adopt MachineSet \"stray\": patch MachineSet "
                         "default/stray: policy: hands off stray"));
    EXPECT_THAT(stage.writes_since_then(), ElementsAre("patch MachineDeployment"));

    stage.settle(10min);
    EXPECT_THAT(stage.writes_since_then(), IsEmpty());

    stage.gatekeeper.answer = {};
    stage.settle(2min);
    EXPECT_EQ(stage.says("ScalingUp"), "False NotScalingUp: ");
    EXPECT_THAT(stage.events.events, Contains("Normal SuccessfulAdopt Adopted MachineSet \"stray\""));
  });
}

TEST(Turns, ARefusedAdoptionIsNotTriedWithEveryTurn) {
  at_rest([](Stage& stage) {
    put_stray(stage, kDenied);
    const int before = stage.gatekeeper.asked;

    for (int replicas = 4; replicas < 10; ++replicas) {
      stage.edit(fmt::format(R"({{"spec":{{"replicas":{}}}}})", replicas));
      stage.settle(5s);
    }

    EXPECT_LE(stage.gatekeeper.asked - before, 1);
    EXPECT_THAT(stage.says("ScalingUp"), HasSubstr("* MachineSet stray could not be adopted: "));
  });
}

TEST(Turns, ARefusedAdoptionKeepsNoOtherSetOut) {
  at_rest([](Stage& stage) {
    put_stray(stage, kDenied);
    api::MachineSet other = a_stray();
    other.metadata.name = "willing"_text;
    stage.put(other);
    stage.settle();

    EXPECT_THAT(stage.events.events, Contains("Normal SuccessfulAdopt Adopted MachineSet \"willing\""));
    EXPECT_THAT(stage.says("ScalingUp"), HasSubstr("* MachineSet stray could not be adopted: "));
    EXPECT_THAT(stage.sizes(), ElementsAre(3, 2, 0));  // not needed beside the three there are
  });
}

// A deployment that was deleted with --cascade=orphan and put again: all its Machines are the set's.
TEST(Turns, ANewDeploymentMakesNothingBesideASetItMayNotAdopt) {
  in_a_world([](Stage& stage) {
    stage.gatekeeper.answer = kDenied;
    stage.put_world(a_machine_deployment().replicas(2).version("v1.33.0"));
    stage.put(a_stray());
    stage.start();
    EXPECT_THAT(stage.sizes(), ElementsAre(2));
    EXPECT_EQ(
        stage.says("ScalingUp"),
        "True ScalingUp: Scaling up from 0 to 2 replicas is blocked because MachineSet stray could not be "
        "adopted: patch MachineSet default/stray: policy: hands off stray");

    stage.gatekeeper.answer = {};
    stage.settle(2min);

    EXPECT_THAT(stage.sizes(), ElementsAre(2));
    EXPECT_NE(stage.sets().front().metadata.controller(), nullptr);
  });
}

// Nobody knows what became of it, and the next try may go well: nothing is made or thrown away for that.
TEST(Turns, AnAdoptionThatNobodyAnsweredIsWaitedFor) {
  at_rest([](Stage& stage) {
    put_stray(stage, kOutOfOrder);
    stage.edit(R"({"spec":{"replicas":4}})");
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(3, 2));
    EXPECT_EQ(
        stage.says("ScalingUp"),
        "True ScalingUp: Scaling up from 3 to 4 replicas is blocked because MachineSet stray could not be "
        "adopted: Internal, see Event FailedAdopt");
  });
}

TEST(Turns, ADeletionTakesItsOwnSetsAlongAndLeavesOneItMayNotAdopt) {
  at_rest([](Stage& stage) {
    put_stray(stage, kDenied);

    stage.must(
        stage.user.remove(kube::resource_of<api::MachineDeployment>(), stage.key(), {}, Deadline::never()));
    stage.settle();

    EXPECT_TRUE(stage.is_gone());
    EXPECT_THAT(stage.sizes(), ElementsAre(2));
  });
}

TEST(Turns, ADeletionTakesItsOwnSetsAlongAndSaysWhichAdoptionItWaitsFor) {
  at_rest([](Stage& stage) {
    put_stray(stage, kOutOfOrder);

    stage.must(
        stage.user.remove(kube::resource_of<api::MachineDeployment>(), stage.key(), {}, Deadline::never()));
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(2));
    EXPECT_EQ(stage.says("Deleting"),
              "True Deleting: Deletion waits for the adoption of MachineSets\n"
              "* MachineSet stray could not be adopted: Internal, see Event FailedAdopt");
  });
}

TEST(Observe, SeesMachinesOfItsSetsOnly) {
  at_rest([](Stage& stage) {
    const auto mine = [&](std::string_view name, std::string_view of_deployment) {
      api::Machine machine = builders::a_machine(name).labelled(api::label::kDeploymentName, of_deployment);
      api::OwnerReference owner = builders::controller_of("MachineSet", "other");
      if (name != "foreign") owner.uid = stage.sets().front().metadata.uid;
      machine.metadata.owner_references = api::OwnerReferences({owner});
      return machine;
    };
    stage.put(mine("own", "md1"));
    stage.put(mine("relabelled", "md2"));
    stage.put(mine("foreign", "md1"));
    stage.settle();

    const auto seen = observe({.clock = stage.baton,
                               .threads = stage.baton,
                               .client = stage.network,
                               .caches = stage.caches,
                               .workload_clusters = stage.workloads,
                               .events = stage.events,
                               .names = stage.names,
                               .brake = stage.brake},
                              {.consistency = stage.controller.consistency(),
                               .externals = stage.externals,
                               .queue = stage.controller.queue()},
                              {}, stage.key());

    ASSERT_TRUE(seen && *seen);
    ASSERT_THAT((*seen)->machines, SizeIs(1));
    EXPECT_EQ((*seen)->machines.front()->metadata.name, "own");
    EXPECT_THAT((*seen)->owned, SizeIs(2));
  });
}

// --- deletion ---

TEST(Turns, DeletionWaitsForItsSets) {
  at_rest([](Stage& stage) {
    const auto name = stage.sets().front().metadata.name;
    stage.edit<api::MachineSet>(name.view(),
                                R"({"metadata":{"finalizers":["cluster.x-k8s.io/machineset"]}})");
    stage.settle();
    stage.must(
        stage.user.remove(kube::resource_of<api::MachineDeployment>(), stage.key(), {}, Deadline::never()));
    stage.settle();
    EXPECT_EQ(stage.says("Deleting"), "True Deleting: Deleting 1 MachineSet");
    EXPECT_EQ(stage.deployment().status.phase, "ScalingDown");

    stage.edit<api::MachineSet>(name.view(), R"({"metadata":{"finalizers":null}})");
    stage.settle();

    EXPECT_TRUE(stage.is_gone());
    EXPECT_THAT(stage.sets(), IsEmpty());
  });
}

TEST(Turns, DeletionDoesNotNeedItsCluster) {
  at_rest([](Stage& stage) {
    stage.must(stage.user.remove(kube::resource_of<api::Cluster>(), {std::string(kNamespace), "c1"}, {},
                                 Deadline::never()));
    stage.settle();
    if (!stage.is_gone()) {
      stage.must(
          stage.user.remove(kube::resource_of<api::MachineDeployment>(), stage.key(), {}, Deadline::never()));
    }
    stage.settle();

    EXPECT_TRUE(stage.is_gone());
    EXPECT_THAT(stage.sets(), IsEmpty());
  });
}

// --- moves in place that somebody else began ---

TEST(Turns, MachinesMovedByAnotherCoreAreCountedOnce) {
  at_rest([](Stage& stage) {
    const auto set = stage.sets().front();
    stage.edit<api::MachineSet>(
        set.metadata.name.view(),
        R"({"metadata":{"annotations":{"in-place-updates.internal.cluster.x-k8s.io/receive-machines-from-machinesets":"old"}}})");
    api::Machine machine = builders::a_machine("moved")
                               .annotated(annotation::kPendingAcknowledgeMove)
                               .labelled(api::label::kDeploymentName, "md1");
    api::OwnerReference owner = builders::controller_of("MachineSet", set.metadata.name.view());
    owner.uid = set.metadata.uid;
    machine.metadata.owner_references = api::OwnerReferences({owner});
    stage.edit(R"({"spec":{"replicas":4}})");
    stage.put(machine);
    stage.controller.queue().add(stage.key());
    stage.settle();

    const auto after = stage.sets().front().metadata.annotations;
    EXPECT_EQ(after.value_or_empty(annotation::kAcknowledgedMove), "moved");
    EXPECT_EQ(after.value_or_empty(annotation::kReceiveMachinesFrom), "old");
    EXPECT_THAT(stage.sizes(), ElementsAre(4));
  });
}

}  // namespace
}  // namespace capstan::controllers::machinedeployment
