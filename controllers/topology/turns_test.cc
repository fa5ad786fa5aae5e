#include <gmock/gmock.h>

#include "controllers/shared/controller_fixture.h"
#include "controllers/topology/reconciler.h"
#include "controllers/topology/waker.h"
#include "test/builders/cluster.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::topology {
namespace {

using builders::a_cluster;
using builders::a_machine_deployment;
using builders::a_machine_set;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using namespace std::chrono_literals;

constexpr std::string_view kMine = "mine";
const kube::Resource kInfraTemplates =
    provider_resource(api::group::kInfrastructure, "DockerMachineTemplate", "dockermachinetemplates");
const kube::Resource kBootstrapTemplates =
    provider_resource(api::group::kBootstrap, "KubeadmConfigTemplate", "kubeadmconfigtemplates");
const kube::Resource& kCrds = kube::resources::custom_resource_definitions();
const kube::Resource kClusters = kube::resource_of<api::Cluster>();
const kube::Resource kDeployments = kube::resource_of<api::MachineDeployment>();
const kube::Resource kPools = kube::resource_of<api::MachinePool>();
const kube::Resource kSets = kube::resource_of<api::MachineSet>();
const kube::Resource kChecks = kube::resource_of<api::MachineHealthCheck>();

// The reconciler of a manager with --watch-filter=mine.
template <typename R>
class OfShard final : public runtime::Reconciler {
 public:
  explicit OfShard(const Deps& deps) : inner_(filtered(deps)) {}
  void bind(const Host& host) { inner_.bind(host); }
  void add_triggers(runtime::Queue& queue) { inner_.add_triggers(queue); }
  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override {
    return inner_.reconcile(context, key);
  }

 private:
  // The inner one copies it.
  static Deps filtered(const Deps& deps) {
    return {.clock = deps.clock,
            .threads = deps.threads,
            .client = deps.client,
            .caches = deps.caches,
            .workload_clusters = deps.workload_clusters,
            .events = deps.events,
            .names = deps.names,
            .brake = deps.brake,
            .watch_filter = std::string(kMine)};
  }
  R inner_;
};

// The Cluster c1 of upstream's core, with a topology.
template <typename R>
class TopologyTurns : public ControllerFixture<OfShard<R>> {
 public:
  TopologyTurns(fakes::Baton& with, std::string_view name, std::string_view kind)
      : ControllerFixture<OfShard<R>>(with,
                                      {.name = std::string(name), .kind = std::string(kind), .pace = 100ms}) {
    this->make(kCrds, provider_crd(kInfraTemplates));
    this->make(kCrds, provider_crd(kBootstrapTemplates));
    auto cluster = a_cluster().labelled(api::label::kWatchFilter, "upstream").build();
    cluster.spec.topology = api::RawJson(json::value{{"classRef", {{"name", "k"}}}, {"version", "v1.36.0"}});
    place(cluster);
  }

  template <typename T>
  void place(const T& object) {
    this->make(kube::resource_of<T>(), api::to_json(object));
  }
  // As a topology makes them, owned by the Cluster.
  void put_templates(std::string_view name) {
    for (const kube::Resource& resource : {kInfraTemplates, kBootstrapTemplates})
      this->make(resource, {{"apiVersion", resource.api_version()},
                            {"kind", resource.kind},
                            {"metadata", metadata_of_topology(name)}});
  }
  void put_health_check(std::string_view name) {
    this->make(kChecks, {{"apiVersion", kChecks.api_version()},
                         {"kind", kChecks.kind},
                         {"metadata", metadata_of_topology(name)},
                         {"spec", {{"clusterName", "c1"}, {"selector", {{"matchLabels", {{"a", "b"}}}}}}}});
  }
  std::vector<std::string> templates_left() {
    std::vector<std::string> left;
    for (const kube::Resource& resource : {kInfraTemplates, kBootstrapTemplates}) {
      const auto list = this->user.list(resource, {}, Deadline::never()).value();
      for (const auto& item : list.at("items").as_array())
        left.emplace_back(item.at("metadata").at("name").as_string());
    }
    return left;
  }

 private:
  static json::object metadata_of_topology(std::string_view name) {
    return {{"name", name},
            {"namespace", builders::kNamespace},
            {"labels", {{api::label::kTopologyOwned, ""}}},
            {"ownerReferences", json::array{{{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                             {"kind", "Cluster"},
                                             {"name", "c1"},
                                             {"uid", "of-no-matter"}}}}};
  }
};

template <typename R>
void in_topology(std::string_view name, std::string_view kind,
                 const std::function<void(TopologyTurns<R>&)>& body) {
  under_seeds([&](fakes::Baton& baton) {
    TopologyTurns<R> world(baton, name, kind);
    body(world);
  });
}

using Deployments = TopologyTurns<Reconciler<api::MachineDeployment>>;
void with_deployments(const std::function<void(Deployments&)>& body) {
  in_topology<Reconciler<api::MachineDeployment>>("topology/machinedeployment", "MachineDeployment", body);
}
using Sets = TopologyTurns<Reconciler<api::MachineSet>>;
void with_sets(const std::function<void(Sets&)>& body) {
  in_topology<Reconciler<api::MachineSet>>("topology/machineset", "MachineSet", body);
}
using Wakes = TopologyTurns<Waker>;
void with_waker(const std::function<void(Wakes&)>& body) {
  in_topology<Waker>("topology/cluster", "Cluster", body);
}

auto ours(auto builder) {
  return builder.labelled(api::label::kTopologyOwned).labelled(api::label::kWatchFilter, kMine);
}

// --- MachineDeployments and MachineSets ---

TEST(TopologyTurns, AMachineSetGetsTheFinalizer) {
  with_sets([](Sets& world) {
    world.place(ours(a_machine_set("md1-old")).build());
    world.start();

    EXPECT_TRUE(
        world.read<api::MachineSet>("md1-old").metadata.has_finalizer(api::finalizer::kMachineSetTopology));
    EXPECT_THAT(world.requests(), ElementsAre("patch machinesets md1-old"));
  });
}

TEST(TopologyTurns, WhatIsNotOursOrOfNoTopologyIsLeftAlone) {
  with_sets([](Sets& world) {
    world.place(a_machine_set("stand-alone").labelled(api::label::kWatchFilter, kMine).build());
    world.place(a_machine_set("theirs").labelled(api::label::kTopologyOwned).build());
    world.start();

    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

TEST(TopologyTurns, ADeletedDeploymentTakesItsHealthCheckAndUnusedTemplatesWithIt) {
  with_deployments([](Deployments& world) {
    world.put_templates("md1");
    world.put_health_check("md1");
    world.place(
        ours(a_machine_deployment("md1")).finalized_by(api::finalizer::kMachineDeploymentTopology).build());
    world.start();

    world.remove(kDeployments, "md1");
    world.settle();

    EXPECT_FALSE(world.exists(kDeployments, "md1"));
    EXPECT_FALSE(world.exists(kChecks, "md1"));
    EXPECT_THAT(world.templates_left(), IsEmpty());
  });
}

TEST(TopologyTurns, TemplatesOfAMachineSetThatStaysStay) {
  with_deployments([](Deployments& world) {
    world.put_templates("md1");
    auto set = ours(a_machine_set("md1-set")).labelled(api::label::kDeploymentName, "md1").build();
    set.spec.machine_template = builders::machine_template_of("md1");
    world.place(set);
    world.place(
        ours(a_machine_deployment("md1")).finalized_by(api::finalizer::kMachineDeploymentTopology).build());
    world.start();

    world.remove(kDeployments, "md1");
    world.settle();

    EXPECT_FALSE(world.exists(kDeployments, "md1"));
    EXPECT_THAT(world.templates_left(), ElementsAre("md1", "md1"));
  });
}

TEST(TopologyTurns, AnOldMachineSetTakesOnlyTheTemplatesThatItsDeploymentHasLeft) {
  with_sets([](Sets& world) {
    world.put_templates("old");
    world.put_templates("md1");
    world.place(ours(a_machine_deployment("md1")).build());
    world.place(ours(a_machine_set("old"))
                    .in_deployment("md1")
                    .finalized_by(api::finalizer::kMachineSetTopology)
                    .build());
    world.start();

    world.remove(kSets, "old");
    world.settle();

    EXPECT_FALSE(world.exists(kSets, "old"));
    EXPECT_THAT(world.templates_left(), ElementsAre("md1", "md1"));
  });
}

TEST(TopologyTurns, ATemplateThatAUserHasPutThereStays) {
  with_sets([](Sets& world) {
    world.put_provider(kInfraTemplates, "old");
    world.place(ours(a_machine_set("old"))
                    .in_deployment("md1")
                    .finalized_by(api::finalizer::kMachineSetTopology)
                    .build());
    world.start();

    world.remove(kSets, "old");
    world.settle();

    EXPECT_FALSE(world.exists(kSets, "old"));
    EXPECT_THAT(world.templates_left(), ElementsAre("old"));
  });
}

TEST(TopologyTurns, AMachineSetOfNoDeploymentGoesAndLeavesItsTemplates) {
  with_sets([](Sets& world) {
    world.put_templates("old");
    world.place(ours(a_machine_set("old")).finalized_by(api::finalizer::kMachineSetTopology).build());
    world.start();

    world.remove(kSets, "old");
    world.settle();

    EXPECT_FALSE(world.exists(kSets, "old"));
    EXPECT_THAT(world.templates_left(), ElementsAre("old", "old"));
  });
}

TEST(TopologyTurns, WhatOutlivesItsClusterGoes) {
  with_sets([](Sets& world) {
    world.put_templates("old");
    world.place(ours(a_machine_set("old"))
                    .in_deployment("md1")
                    .finalized_by(api::finalizer::kMachineSetTopology)
                    .build());
    world.remove(kClusters, "c1");
    world.start();

    world.remove(kSets, "old");
    world.settle();

    EXPECT_FALSE(world.exists(kSets, "old"));
    EXPECT_THAT(world.templates_left(), ElementsAre("old", "old"));
  });
}

TEST(TopologyTurns, ADeletionThatCanNotLookKeepsItsFinalizerAndGoesOnLater) {
  with_sets([](Sets& world) {
    world.put_templates("old");
    world.place(ours(a_machine_set("old"))
                    .in_deployment("md1")
                    .finalized_by(api::finalizer::kMachineSetTopology)
                    .build());
    world.start();
    world.client.refuse("list machinesets", {.code = Code::Unavailable, .message = "connection refused"});

    world.remove(kSets, "old");
    world.settle();
    EXPECT_TRUE(world.exists(kSets, "old"));
    EXPECT_THAT(world.templates_left(), SizeIs(2));
    world.client.allow();
    world.settle(1min);

    EXPECT_FALSE(world.exists(kSets, "old"));
    EXPECT_THAT(world.templates_left(), IsEmpty());
  });
}

TEST(TopologyTurns, WhatIsPausedWaits) {
  with_sets([](Sets& world) {
    world.place(
        ours(a_machine_set("old")).paused().finalized_by(api::finalizer::kMachineSetTopology).build());
    world.start();

    world.remove(kSets, "old");
    world.settle();

    EXPECT_TRUE(world.exists(kSets, "old"));
    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

// --- Clusters ---

TEST(TopologyTurns, AClusterIsWokenByWorkersOfOursWithinFiveSeconds) {
  with_waker([](Wakes& world) {
    world.place(ours(a_machine_deployment("md1")).build());
    world.start();
    const auto noted = [&]() -> std::string {
      return std::string(world.read<api::Cluster>("c1").metadata.annotations.value_or_empty(kWorkers));
    };
    const std::string first = noted();
    EXPECT_THAT(first, SizeIs(16));

    world.patch(kDeployments, "md1", {{"status", {{"replicas", 3}}}}, "status");
    world.settle(5s);

    EXPECT_NE(noted(), first);
  });
}

TEST(TopologyTurns, AClusterIsWokenByAPoolOfOurs) {
  with_waker([](Wakes& world) {
    world.make(kPools, {{"apiVersion", kPools.api_version()},
                        {"kind", kPools.kind},
                        {"metadata",
                         {{"name", "mp"},
                          {"namespace", builders::kNamespace},
                          {"labels",
                           {{api::label::kTopologyOwned, ""},
                            {api::label::kWatchFilter, kMine},
                            {api::label::kClusterName, "c1"}}}}},
                        {"spec",
                         {{"clusterName", "c1"},
                          {"template",
                           {{"spec",
                             {{"clusterName", "c1"},
                              {"bootstrap", {{"dataSecretName", "data"}}},
                              {"infrastructureRef",
                               {{"apiGroup", api::group::kInfrastructure},
                                {"kind", "DockerMachinePool"},
                                {"name", "mp"}}}}}}}}}});
    world.start();
    const auto noted = [&]() -> std::string {
      return std::string(world.read<api::Cluster>("c1").metadata.annotations.value_or_empty(kWorkers));
    };
    const std::string first = noted();
    EXPECT_THAT(first, SizeIs(16));

    world.patch(kPools, "mp", {{"status", {{"replicas", 3}}}}, "status");
    world.settle(5s);

    EXPECT_NE(noted(), first);
  });
}

TEST(TopologyTurns, ManyChangesWakeAClusterAFewTimesAndNoneCostNothing) {
  with_waker([](Wakes& world) {
    world.place(ours(a_machine_deployment("md1")).build());
    world.start();
    (void)world.requests();

    for (int replicas = 1; replicas <= 100; ++replicas) {
      world.patch(kDeployments, "md1", {{"status", {{"replicas", replicas}}}}, "status");
      world.settle(100ms);
    }
    world.settle(10s);
    const auto while_changing = world.requests();
    world.settle(1h);

    EXPECT_THAT(while_changing, SizeIs(testing::Le(7)));
    EXPECT_THAT(while_changing, testing::Each("patch clusters c1"));
    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

TEST(TopologyTurns, WorkersOfOthersWakeNoCluster) {
  with_waker([](Wakes& world) {
    world.place(a_machine_deployment("md1").labelled(api::label::kTopologyOwned).build());
    world.start();

    world.patch(kDeployments, "md1", {{"status", {{"replicas", 3}}}}, "status");
    world.settle(10s);

    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

TEST(TopologyTurns, AClusterOfOursNeedsNoWaking) {
  with_waker([](Wakes& world) {
    world.patch(kClusters, "c1", {{"metadata", {{"labels", {{api::label::kWatchFilter, kMine}}}}}});
    world.place(ours(a_machine_deployment("md1")).build());
    world.start();
    world.settle(10s);

    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

TEST(TopologyTurns, ANewManagerWakesOnlyClustersWhoseWorkersHaveChanged) {
  with_waker([](Wakes& world) {
    world.place(ours(a_machine_deployment("md1")).build());
    world.start();
    ASSERT_THAT(world.requests(), ElementsAre("patch clusters c1"));

    ControllerRun<OfShard<Waker>> next(world, {.name = "topology/cluster", .kind = "Cluster", .pace = 100ms});
    next.start();
    world.settle(10s);

    EXPECT_THAT(next.requests(), IsEmpty());
  });
}

}  // namespace
}  // namespace capstan::controllers::topology
