#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/machinepool/turn_fixture.h"

namespace capstan::controllers::machinepool {
namespace {

using builders::a_node;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using namespace std::chrono_literals;

TEST(Turns, BringAPoolFromNothingToRunning) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.make_pool();
    stage.connect();
    stage.start();
    EXPECT_EQ(stage.pool().status.phase, "Pending");
    EXPECT_THAT(stage.requests(), ElementsAre("patch machinepools mp1", "patch recipes mp1",
                                              "patch boxpools mp1", "patch machinepools/status mp1"));

    stage.bootstrap_is_done();
    stage.settle();
    EXPECT_EQ(stage.pool().status.phase, "Provisioning");
    EXPECT_EQ(*stage.pool().spec.machine_template.spec.bootstrap.data_secret_name, "data");

    stage.infrastructure_has({"n1", "n2"});
    stage.settle();
    EXPECT_EQ(stage.pool().status.phase, "ScalingUp");

    stage.make_node(a_node("n1"));
    stage.make_node(a_node("n2"));
    stage.settle();

    EXPECT_EQ(stage.pool().status.phase, "Running");
    EXPECT_THAT(stage.refs(), ElementsAre("n1", "n2"));
    EXPECT_EQ(stage.pool().status.ready_replicas, 2);
    EXPECT_EQ(stage.pool().metadata.owner_references->front().kind, "Cluster");
    EXPECT_TRUE(stage.pool().metadata.has_finalizer("machinepool.cluster.x-k8s.io"));
    const auto infra = stage.read(kBoxPools, kPool);
    EXPECT_EQ(infra.at("metadata").at("ownerReferences").at(0).at("controller"), json::value(true));
    EXPECT_EQ(infra.at("metadata").at("labels").at("cluster.x-k8s.io/cluster-name"), json::value("c1"));
    EXPECT_THAT(stage.events.events, Contains("Normal SuccessfulSetNodeRefs: n1, n2"));
    for (const auto& request : stage.requests()) EXPECT_THAT(request, Not(HasSubstr("get ")));
  });
}

TEST(Turns, CostNothingAtRest) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();

    stage.settle(1h);

    EXPECT_THAT(stage.requests(), IsEmpty());
    EXPECT_THAT(stage.workload.described(), IsEmpty());
    EXPECT_THAT(stage.events.events, IsEmpty());
  });
}

TEST(Turns, WriteEachNodeOnce) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.let_the_watch_be_late();
    stage.make_pool();
    stage.connect();
    stage.start();
    stage.infrastructure_has({"n1", "n2"});
    stage.make_node(a_node("n1"));
    stage.make_node(a_node("n2"));
    stage.settle(20s);

    EXPECT_THAT(stage.workload.described(), ElementsAre("patch nodes n1", "patch nodes n2"));
    const json::value expected = {{"metadata",
                                   {{"annotations",
                                     {{"cluster.x-k8s.io/cluster-name", "c1"},
                                      {"cluster.x-k8s.io/cluster-namespace", "default"},
                                      {"cluster.x-k8s.io/owner-kind", "MachinePool"},
                                      {"cluster.x-k8s.io/owner-name", "mp1"}}}}}};
    EXPECT_EQ(stage.workload.writes().at(0).body, expected);
  });
}

TEST(Turns, GatherManyNodesIntoOneStatusASecond) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.let_the_watch_be_late();
    stage.make_pool(a_pool(30));
    stage.connect();
    stage.start();
    std::vector<std::string> names;
    for (int i = 10; i < 40; ++i) names.push_back("n" + std::to_string(i));
    stage.infrastructure_has(names);
    stage.settle();
    (void)stage.requests();

    for (const auto& name : names) {
      stage.make_node(a_node(name));
      stage.settle(100ms);
    }
    stage.settle();

    EXPECT_EQ(stage.pool().status.ready_replicas, 30);
    const auto asked = stage.requests();
    EXPECT_THAT(asked, testing::Each("patch machinepools/status mp1"));
    EXPECT_LE(asked.size(), 5u);
    EXPECT_THAT(stage.workload.described(), SizeIs(30));
  });
}

// The pace of the manager, which knows nothing of Nodes.
TEST(Turns, GatherTheNodesOfASmallPoolJustTheSame) {
  in_simulation(
      [](MachinePoolFixture& stage) {
        stage.let_the_watch_be_late();
        stage.make_pool(a_pool(50));
        stage.connect();
        stage.start();
        std::vector<std::string> names;
        for (int i = 10; i < 60; ++i) names.push_back("n" + std::to_string(i));
        stage.infrastructure_has(names);
        stage.settle();
        (void)stage.requests();

        for (const auto& name : names) {
          stage.make_node(a_node(name));
          stage.settle(20ms);  // 50 a second
        }
        const auto meanwhile = stage.requests();
        stage.settle();

        EXPECT_LE(meanwhile.size(), 2u);
        EXPECT_EQ(stage.pool().status.ready_replicas, 50);
        EXPECT_THAT(stage.requests(), SizeIs(testing::Le(2u)));
      },
      100ms);
}

TEST(Turns, TellOfASingleNodeAtOnce) {
  in_simulation(
      [](MachinePoolFixture& stage) {
        stage.run_two();

        stage.workload_clusters.put_node(kTheCluster, a_node("n1").not_ready());
        stage.settle(50ms);

        EXPECT_EQ(stage.pool().status.ready_replicas, 1);
      },
      100ms);
}

TEST(Turns, GiveAPoolASizeWhereNobodyDid) {
  in_simulation([](MachinePoolFixture& stage) {
    auto pool = a_pool();
    pool.spec.replicas.reset();
    pool.metadata.annotations.set("cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size", "2");
    pool.metadata.annotations.set("cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size", "9");

    stage.make_pool(pool);
    stage.start();

    EXPECT_EQ(stage.pool().spec.replicas, 2);
  });
}

TEST(Turns, FollowTheSecretOfTheConfig) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();

    stage.bootstrap_is_done("rotated");
    stage.settle();

    EXPECT_EQ(*stage.pool().spec.machine_template.spec.bootstrap.data_secret_name, "rotated");
  });
}

TEST(Turns, FindNodesThatCameBeforeTheList) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.make_pool(a_pool(1));
    stage.connect();
    stage.make_node(a_node("n1"));
    stage.start();

    stage.infrastructure_has({"n1"});
    stage.settle();

    EXPECT_THAT(stage.refs(), ElementsAre("n1"));
  });
}

TEST(Turns, DeleteTheNodeOfAnInstanceThatLeft) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();

    stage.infrastructure_has({"n2"});
    stage.settle();

    EXPECT_FALSE(stage.node_exists("n1"));
    EXPECT_TRUE(stage.node_exists("n2"));
    EXPECT_THAT(stage.refs(), ElementsAre("n2"));
    EXPECT_THAT(stage.workload.described(), ElementsAre("delete nodes n1"));
    EXPECT_THAT(stage.requests(), Contains("get boxpools mp1"));
  });
}

// What the server has become when it is asked: the caches have not heard of it yet.
void right_before(MachinePoolFixture& stage, std::string_view request, std::function<void()> happens) {
  stage.client.before = [words = std::string(request), happens = std::move(happens),
                         first = true](const fakes::RecordedRequest& asked) mutable -> std::optional<Error> {
    if (asked.is(words) && std::exchange(first, false)) happens();
    return std::nullopt;
  };
}

TEST(Turns, KeepTheNodeOfAnInstanceThatTheServerStillLists) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();
    bool looked = false;
    right_before(stage, "get boxpools mp1", [&] {
      looked = true;
      stage.infrastructure_has({"n1", "n2"});
    });

    stage.infrastructure_has({"n2"});
    stage.settle(1min);

    EXPECT_TRUE(looked);
    EXPECT_TRUE(stage.node_exists("n1"));
    EXPECT_THAT(stage.workload.described(), IsEmpty());
    EXPECT_THAT(stage.refs(), ElementsAre("n1", "n2"));
  });
}

TEST(Turns, KeepTheNodeOfAnInstanceWhileTheServerDoesNotAnswer) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();
    stage.client.refuse("get boxpools mp1", {.code = Code::Unavailable, .message = "not now"});

    stage.infrastructure_has({"n2"});
    stage.settle(1min);
    const bool kept = stage.node_exists("n1");
    stage.client.allow();
    stage.settle(2min);

    EXPECT_TRUE(kept);
    EXPECT_FALSE(stage.node_exists("n1"));
  });
}

// Otherwise it would belong to no pool, and stand in the way of the next instance of its name for ever.
TEST(Turns, DoNotForgetANodeThatCouldNotBeDeleted) {
  for (const Code code : {Code::Conflict, Code::Unavailable}) {
    in_simulation([code](MachinePoolFixture& stage) {
      stage.run_two();
      for (int times = 0; times < 3; ++times)
        stage.workload.refuse_next("delete nodes n1", {.code = code, .message = "not now"});

      stage.infrastructure_has({"n2"});
      stage.settle(30s);

      EXPECT_EQ(stage.workload.count("delete nodes n1"), 4);
      EXPECT_FALSE(stage.node_exists("n1"));
      EXPECT_THAT(stage.refs(), ElementsAre("n2"));
    });
  }
}

TEST(Turns, DoNotForgetANodeWhenThePoolCouldNotBeWritten) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();
    stage.client.refuse_next("patch machinepools mp1", {.code = Code::Unavailable, .message = "not now"});

    stage.infrastructure_has({"n2"});
    stage.settle(30s);

    EXPECT_EQ(stage.client.count("patch machinepools mp1"), 2);
    EXPECT_FALSE(stage.node_exists("n1"));
  });
}

TEST(Turns, KeepTheNewNodeOfAnInstanceThatWasReplacedUnderItsName) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.let_the_watch_be_late();
    stage.run_two();

    // The same name, another instance behind it.
    stage.workload_clusters.remove_node(kTheCluster, "n1");
    ASSERT_TRUE(stage.workload.remove(kube::resources::nodes(), {.name = "n1"}, {}, Deadline::never()));
    stage.workload.forget();
    stage.make_node(a_node("n1").provider_id("docker:////n1-again"));
    stage.patch(kBoxPools, kPool,
                {{"spec", {{"providerIDList", json::array{"docker:////n1-again", id_of("n2")}}}}});
    stage.settle();

    EXPECT_TRUE(stage.node_exists("n1"));
    EXPECT_THAT(stage.refs(), ElementsAre("n1", "n2"));
    EXPECT_THAT(stage.workload.described(), ElementsAre("patch nodes n1"));
  });
}

TEST(Turns, KeepTheNewNodeThatOnlyTheServerKnows) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();
    const auto& nodes = kube::resources::nodes();
    const json::value again = {{"apiVersion", "v1"},
                               {"kind", "Node"},
                               {"metadata", {{"name", "n1"}}},
                               {"spec", {{"providerID", "docker:////n1-again"}}}};
    ASSERT_TRUE(stage.workload.remove(nodes, {.name = "n1"}, {}, Deadline::never()));
    ASSERT_TRUE(stage.workload.create(nodes, {}, again, {}, Deadline::never()));
    const auto uid = stage.node("n1").metadata.uid;
    stage.workload.forget();

    stage.patch(kBoxPools, kPool,
                {{"spec", {{"providerIDList", json::array{"docker:////n1-again", id_of("n2")}}}}});
    stage.settle(30s);
    const bool tried = std::ranges::count(stage.workload.described(), "delete nodes n1") > 0;
    const bool kept = stage.node_exists("n1") && stage.node("n1").metadata.uid == uid;
    stage.watch_node("n1");
    stage.settle(2min);

    EXPECT_TRUE(tried) << "the cache still shows the old one";
    EXPECT_TRUE(kept);
    ASSERT_TRUE(stage.node_exists("n1"));
    EXPECT_EQ(stage.node("n1").metadata.uid, uid);
    EXPECT_THAT(stage.refs(), ElementsAre("n1", "n2"));
  });
}

TEST(Turns, DeleteNoNodeWhenTheListIsEmptyForAMoment) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();

    stage.infrastructure_has({});
    stage.settle(20s);
    const std::string said = stage.shown("InfrastructureReady");
    stage.infrastructure_has({"n1", "n2"});
    stage.settle(2min);

    EXPECT_EQ(said, "False InvalidProviderIDList");
    EXPECT_THAT(stage.workload.described(), IsEmpty());
    EXPECT_THAT(stage.refs(), ElementsAre("n1", "n2"));
    EXPECT_EQ(stage.shown("InfrastructureReady"), "True Ready");
    EXPECT_THAT(stage.events.events, testing::Each(HasSubstr("Warning InvalidProviderIDList")));
  });
}

// Its provider finds its instances again one by one.
TEST(Turns, DeleteNoNodeWhenAListThatWasEmptyComesBackInParts) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();

    stage.infrastructure_has({});
    stage.settle(10s);
    stage.infrastructure_has({"n1"});
    stage.settle(10s);
    const std::string said = stage.shown("InfrastructureReady");
    stage.infrastructure_has({"n1", "n2"});
    stage.settle(2min);

    EXPECT_EQ(said, "False InvalidProviderIDList");
    EXPECT_THAT(stage.workload.described(), IsEmpty());
    EXPECT_THAT(stage.refs(), ElementsAre("n1", "n2"));
    EXPECT_EQ(stage.shown("InfrastructureReady"), "True Ready");
  });
}

TEST(Turns, BelieveAPartOfAListThatWasEmptyAtTheSecondLook) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();

    stage.infrastructure_has({});
    stage.settle(10s);
    stage.infrastructure_has({"n1"});
    stage.settle(19s);
    const bool early = stage.node_exists("n2");
    stage.settle(30s);

    EXPECT_TRUE(early);
    EXPECT_FALSE(stage.node_exists("n2"));
    EXPECT_THAT(stage.refs(), ElementsAre("n1"));
  });
}

TEST(Turns, DeleteNoNodeWhenTheListIsEmptyAndReplicasAreNot) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();

    stage.infrastructure_has({}, {{"replicas", 2}});
    stage.settle(10min);

    EXPECT_THAT(stage.workload.described(), IsEmpty());
    EXPECT_TRUE(stage.node_exists("n1"));
    EXPECT_EQ(stage.pool().spec.provider_id_list.size(), 2u);
  });
}

TEST(Turns, BelieveAnEmptyListAtTheSecondLook) {
  for (const json::value& replicas : {json::value(0), json::value(nullptr)}) {
    in_simulation([&](MachinePoolFixture& stage) {
      stage.run_two();

      stage.infrastructure_has({}, {{"replicas", replicas}});
      stage.settle(29s);
      const bool early = stage.node_exists("n1") && stage.node_exists("n2");
      stage.settle(10s);

      EXPECT_TRUE(early);
      EXPECT_FALSE(stage.node_exists("n1"));
      EXPECT_FALSE(stage.node_exists("n2"));
      EXPECT_THAT(stage.refs(), IsEmpty());
      EXPECT_EQ(stage.pool().spec.provider_id_list.size(), 0u);
    });
  }
}

// The list is empty in the cache for all of 30 s: only the server knows that it is back, that there are
// instances, or that the pool is going.
TEST(Turns, BelieveNoEmptyListThatTheServerDoesNotConfirm) {
  const std::vector<std::function<void(MachinePoolFixture&)>> truths = {
      [](MachinePoolFixture& stage) {  // and the replicas are not
        const json::array ids = {json::value(id_of("n1")), json::value(id_of("n2"))};
        stage.patch(kBoxPools, kPool, {{"spec", {{"providerIDList", ids}}}});
      },
      [](MachinePoolFixture& stage) { stage.infrastructure_has({}, {{"replicas", 2}}); },
      [](MachinePoolFixture& stage) { stage.remove(kBoxPools, kPool); },
  };
  for (const auto& truth : truths) {
    in_simulation([&](MachinePoolFixture& stage) {
      stage.run_two();
      stage.patch(kBoxPools, kPool, {{"metadata", {{"finalizers", json::array{"example.com/busy"}}}}});
      stage.settle();
      bool looked = false;
      right_before(stage, "get boxpools mp1", [&] {
        looked = true;
        truth(stage);
      });
      (void)stage.requests();

      stage.infrastructure_has({});
      stage.settle(2min);

      EXPECT_TRUE(looked);
      EXPECT_THAT(stage.workload.described(), IsEmpty());
      EXPECT_THAT(stage.refs(), ElementsAre("n1", "n2"));
      EXPECT_THAT(stage.requests(), Not(Contains("patch machinepools mp1"))) << "the list known before stays";
    });
  }
}

TEST(Turns, KeepWhatTheyKnowWhileTheClusterIsOutOfReach) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();

    stage.workload_clusters.lose(kTheCluster);
    stage.infrastructure_has({"n1"});
    stage.settle(1h);
    const auto kept = stage.refs();
    stage.connect();
    stage.settle();

    EXPECT_THAT(kept, ElementsAre("n1", "n2"));
    EXPECT_THAT(stage.refs(), ElementsAre("n1"));
    EXPECT_FALSE(stage.node_exists("n2"));
  });
}

TEST(Turns, DoNotTakeInstancesOfAnotherPool) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();
    auto other = a_pool(1);
    other.metadata.name = Text("mp2");
    other.spec.machine_template.spec.infrastructure_ref.name = Text("mp2");
    other.spec.machine_template.spec.bootstrap = {.data_secret_name = Text("mine")};
    stage.put_provider(kBoxPools, "mp2", {{"spec", {{"providerIDList", json::array{id_of("n1")}}}}});
    stage.patch(kBoxPools, "mp2", {{"status", {{"ready", true}, {"replicas", 1}}}}, "status");

    stage.make(kPools, api::to_json(other));
    stage.settle();

    const auto second = stage.read<api::MachinePool>("mp2");
    EXPECT_EQ(second.spec.provider_id_list.size(), 0u);
    const auto told = api::conditions::find(second.status.conditions, "InfrastructureReady");
    ASSERT_NE(told, nullptr);
    EXPECT_THAT(told->message.str(), HasSubstr("names instances of other MachinePools (mp1: docker:////n1)"));
    EXPECT_EQ(*second.spec.machine_template.spec.bootstrap.data_secret_name, "mine");
  });
}

// Pool mp2, which had instance n1 in its list before the first turn.
void make_second_pool(MachinePoolFixture& stage) {
  auto other = a_pool(1);
  other.metadata.name = Text("mp2");
  other.spec.machine_template.spec.infrastructure_ref.name = Text("mp2");
  other.spec.machine_template.spec.bootstrap = {.data_secret_name = Text("mine")};
  other.spec.provider_id_list = {Text(id_of("n1"))};
  stage.put_provider(kBoxPools, "mp2", {{"spec", {{"providerIDList", json::array{id_of("n1")}}}}});
  stage.patch(kBoxPools, "mp2", {{"status", {{"ready", true}, {"replicas", 1}}}}, "status");
  stage.make(kPools, api::to_json(other));
}

TEST(Turns, DoNotFightForANodeThatTwoPoolsList) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();

    make_second_pool(stage);
    stage.settle(1min);
    const auto second = stage.read<api::MachinePool>("mp2");

    EXPECT_THAT(stage.workload.described(), IsEmpty());
    const auto told = api::conditions::find(second.status.conditions, "InfrastructureReady");
    ASSERT_NE(told, nullptr);
    EXPECT_THAT(told->message.str(), HasSubstr("names instances of other MachinePools (mp1: docker:////n1)"));
  });
}

TEST(Turns, HandANodeOverToThePoolThatStillListsIt) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();
    stage.let_the_watch_be_late();
    make_second_pool(stage);
    stage.settle();

    stage.infrastructure_has({"n2"});
    stage.settle(10s);

    EXPECT_TRUE(stage.node_exists("n1"));
    EXPECT_THAT(stage.refs(), ElementsAre("n2"));
    EXPECT_THAT(stage.workload.described(), ElementsAre("patch nodes n1"));
    const auto second = stage.read<api::MachinePool>("mp2");
    EXPECT_EQ(api::conditions::find(second.status.conditions, "InfrastructureReady")->status, "True");
  });
}

TEST(Turns, TakeAnInstanceOnceItsFormerPoolHasLetItGo) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();
    auto other = a_pool(1);
    other.metadata.name = Text("mp2");
    other.spec.machine_template.spec.infrastructure_ref.name = Text("mp2");
    other.spec.machine_template.spec.bootstrap = {.data_secret_name = Text("mine")};
    stage.put_provider(kBoxPools, "mp2", {{"spec", {{"providerIDList", json::array{"docker:////n3"}}}}});
    stage.patch(kBoxPools, "mp2", {{"status", {{"ready", true}, {"replicas", 1}}}}, "status");
    stage.make(kPools, api::to_json(other));
    stage.settle();
    stage.infrastructure_has({"n1", "n2", "n3"});
    stage.settle();
    const auto refused = stage.shown("InfrastructureReady");

    stage.patch(kBoxPools, "mp2", {{"spec", {{"providerIDList", json::array{"docker:////n4"}}}}});
    stage.settle();

    EXPECT_EQ(refused, "False InvalidProviderIDList");
    EXPECT_EQ(stage.shown("InfrastructureReady"), "True Ready");
    EXPECT_EQ(stage.pool().spec.provider_id_list.size(), 3u);
  });
}

TEST(Turns, OfAPausedPoolWriteTheFinalizerAndTheCondition) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.connect();
    stage.patch(kClusters, "c1", {{"spec", {{"paused", true}}}});
    stage.make_pool();
    stage.start();

    stage.infrastructure_has({"n1", "n2"});
    stage.settle(1min);

    EXPECT_THAT(stage.requests(), ElementsAre("patch machinepools mp1", "patch machinepools/status mp1"));
    EXPECT_EQ(stage.shown("Paused"), "True Paused");
    EXPECT_EQ(stage.pool().spec.provider_id_list.size(), 0u);

    stage.patch(kClusters, "c1", {{"spec", {{"paused", false}}}});
    stage.settle();

    EXPECT_EQ(stage.pool().spec.provider_id_list.size(), 2u);
    EXPECT_EQ(stage.shown("Paused"), "False NotPaused");
  });
}

// The provider's objects had no owner reference to the pool yet.
TEST(Turns, TakeDownAPoolThatWasDeletedBeforeItOwnedItsObjects) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.connect();
    stage.patch(kClusters, "c1", {{"spec", {{"paused", true}}}});
    stage.make_pool();
    stage.start();
    stage.patch(kBoxPools, kPool, {{"metadata", {{"finalizers", json::array{"example.com/busy"}}}}});
    stage.remove(kPools, kPool);
    stage.settle();
    stage.patch(kClusters, "c1", {{"spec", {{"paused", false}}}});
    stage.settle();

    const auto infra = stage.read(kBoxPools, kPool);
    stage.patch(kBoxPools, kPool, {{"metadata", {{"finalizers", nullptr}}}});
    stage.settle();

    ASSERT_TRUE(infra.at("metadata").as_object().contains("ownerReferences"));
    EXPECT_EQ(infra.at("metadata").at("ownerReferences").at(0).at("name"), json::value(kPool));
    EXPECT_TRUE(infra.at("metadata").as_object().contains("deletionTimestamp"));
    EXPECT_FALSE(stage.exists(kPools, kPool));
  });
}

TEST(Turns, PutALabelBackThatAUserTookOffAProviderObject) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();
    const json::value none = {{"metadata", {{"labels", {{"cluster.x-k8s.io/cluster-name", nullptr}}}}}};

    for (const auto& kind : {kBoxPools, kConfigs}) stage.patch(kind, kPool, none);
    stage.settle();
    const auto requests = stage.requests();
    stage.settle(1h);

    for (const auto& kind : {kBoxPools, kConfigs}) {
      EXPECT_EQ(stage.read(kind, kPool).at("metadata").at("labels").at("cluster.x-k8s.io/cluster-name"),
                json::value("c1"));
    }
    EXPECT_THAT(requests, testing::UnorderedElementsAre("patch boxpools mp1", "patch recipes mp1"));
    EXPECT_THAT(stage.requests(), IsEmpty());
  });
}

// No webhook keeps a user from it.
TEST(Turns, StayWithTheClusterThatOwnsAPoolWhateverItsSpecSaysLater) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.put(builders::a_cluster("c2").infrastructure_provisioned().build());
    stage.run_two();

    stage.patch(kPools, kPool, {{"spec", {{"clusterName", "c2"}}}});
    stage.settle(1min);
    const auto requests = stage.requests();
    const auto status = stage.pool().status;
    const auto scaling = api::conditions::find(status.conditions, "ScalingUp");
    stage.settle(1h);

    const auto pool = stage.pool();
    EXPECT_EQ(pool.metadata.labels.value_or_empty("cluster.x-k8s.io/cluster-name"), "c1");
    ASSERT_EQ(pool.metadata.owner_references->size(), 1U);
    EXPECT_EQ(pool.metadata.owner_references->front().name, "c1");
    EXPECT_EQ(stage.read(kBoxPools, kPool).at("metadata").at("labels").at("cluster.x-k8s.io/cluster-name"),
              json::value("c1"));
    EXPECT_THAT(stage.refs(), ElementsAre("n1", "n2"));
    EXPECT_EQ(pool.spec.cluster_name, "c2") << "the user's to write";
    ASSERT_TRUE(scaling != nullptr);
    EXPECT_THAT(scaling->message.str(), AllOf(HasSubstr("spec.clusterName is c2"), HasSubstr("Cluster c1")));
    EXPECT_THAT(requests, ElementsAre("patch machinepools/status mp1"));
    EXPECT_THAT(stage.workload.described(), IsEmpty());
    EXPECT_THAT(stage.requests(), IsEmpty());
  });
}

TEST(Turns, LeaveThePoolsSizeToWhoeverManagesIt) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();

    stage.patch(kPools, kPool,
                {{"metadata", {{"annotations", {{"cluster.x-k8s.io/replicas-managed-by", ""}}}}}});
    stage.infrastructure_has({"n1", "n2", "n3"});
    stage.settle();
    stage.make_node(a_node("n3"));
    stage.settle();
    const std::string meanwhile = stage.pool().status.phase.str();
    const auto wanted = stage.pool().spec.replicas;
    stage.patch(kPools, kPool, {{"spec", {{"replicas", 3}}}});  // as its provider does
    stage.settle();

    EXPECT_EQ(meanwhile, "Scaling");
    EXPECT_EQ(wanted, 2);
    EXPECT_EQ(stage.pool().status.phase, "Running");
  });
}

TEST(Turns, ScaleThroughTheSubresource) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();

    stage.patch(kPools, kPool, {{"spec", {{"replicas", 3}}}}, "scale");
    stage.settle();

    EXPECT_EQ(stage.pool().spec.replicas, 3);
    EXPECT_EQ(stage.pool().status.phase, "ScalingUp");
    EXPECT_EQ(stage.shown("ScalingUp"), "True ScalingUp");
  });
}

// --- the end ---

TEST(Turns, TakeEverythingDownWithItsNodes) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();

    stage.remove(kPools, kPool);
    stage.settle(10s);

    EXPECT_FALSE(stage.exists(kPools, kPool));
    EXPECT_FALSE(stage.exists(kBoxPools, kPool));
    EXPECT_FALSE(stage.exists(kConfigs, kPool));
    EXPECT_FALSE(stage.node_exists("n1"));
    EXPECT_FALSE(stage.node_exists("n2"));
    EXPECT_THAT(stage.workload.described(), ElementsAre("delete nodes n1", "delete nodes n2"));
  });
}

TEST(Turns, DeleteNoNodeBeforeTheInstancesAreGone) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();
    stage.patch(kBoxPools, kPool, {{"metadata", {{"finalizers", json::array{"example.com/busy"}}}}});

    stage.remove(kPools, kPool);
    stage.settle(1min);
    const bool waits = stage.node_exists("n1");
    const auto phase = stage.pool().status.phase.str();
    const auto told = stage.shown("Deleting");
    stage.patch(kBoxPools, kPool, {{"metadata", {{"finalizers", nullptr}}}});
    stage.settle(10s);

    EXPECT_TRUE(waits);
    EXPECT_EQ(phase, "Deleting");
    EXPECT_EQ(told, "True WaitingForInfrastructureDeletion");
    EXPECT_FALSE(stage.exists(kPools, kPool));
    EXPECT_FALSE(stage.node_exists("n1"));
  });
}

// A pool that is paused while its provider names its first instances: our copy has none when it is deleted.
void delete_before_the_first_copy(MachinePoolFixture& stage) {
  const auto pause = [&](const json::value& value) {
    stage.patch(kPools, kPool, {{"metadata", {{"annotations", {{"cluster.x-k8s.io/paused", value}}}}}});
    stage.settle();
  };
  stage.make_pool();
  stage.connect();
  stage.start();
  stage.bootstrap_is_done();
  stage.settle();
  pause("");
  stage.infrastructure_has({"n1", "n2"});
  stage.make_node(a_node("n1"));
  stage.make_node(a_node("n2"));
  stage.remove(kPools, kPool);
  pause(nullptr);
}

TEST(Turns, LeaveNoNodeOfAPoolThatGoesBeforeItsFirstList) {
  in_simulation([](MachinePoolFixture& stage) {
    delete_before_the_first_copy(stage);
    stage.settle(10s);

    EXPECT_FALSE(stage.exists(kPools, kPool));
    EXPECT_FALSE(stage.exists(kBoxPools, kPool));
    EXPECT_FALSE(stage.node_exists("n1"));
    EXPECT_FALSE(stage.node_exists("n2"));
  });
}

TEST(Turns, LeaveNoNodeOfInstancesThatTheCacheHasNotHeardOf) {
  in_simulation([](MachinePoolFixture& stage) {
    bool named = false;
    stage.client.before = [&](const fakes::RecordedRequest& asked) -> std::optional<Error> {
      // As late as can be: between the look at the cache and the request that ends the instances.
      if (!stage.pool().metadata.deleting() || !asked.is("patch machinepools mp1")) return std::nullopt;
      if (std::exchange(named, true)) return std::nullopt;
      stage.infrastructure_has({"n1", "n2", "n3"});
      stage.make_node(a_node("n3"));
      return std::nullopt;
    };

    delete_before_the_first_copy(stage);
    stage.settle(20s);

    EXPECT_TRUE(named);
    EXPECT_FALSE(stage.exists(kPools, kPool));
    EXPECT_FALSE(stage.node_exists("n1"));
    EXPECT_FALSE(stage.node_exists("n3"));
  });
}

TEST(Turns, LeaveNoNodeOfInstancesThatAreNamedWhileTheyEnd) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.make_pool();
    stage.connect();
    stage.start();
    stage.patch(kBoxPools, kPool, {{"metadata", {{"finalizers", json::array{"example.com/busy"}}}}});
    stage.remove(kPools, kPool);
    stage.settle();
    stage.patch(
        kBoxPools, kPool,
        {{"spec", {{"providerIDList", json::array{json::value(id_of("n1")), json::value(id_of("n2"))}}}}});
    stage.make_node(a_node("n1"));
    stage.make_node(a_node("n2"));
    stage.settle();
    stage.patch(kBoxPools, kPool, {{"spec", {{"providerIDList", nullptr}}}});
    stage.settle();
    stage.patch(kBoxPools, kPool, {{"metadata", {{"finalizers", nullptr}}}});
    stage.settle(10s);

    EXPECT_FALSE(stage.exists(kPools, kPool));
    EXPECT_FALSE(stage.node_exists("n1"));
    EXPECT_FALSE(stage.node_exists("n2"));
  });
}

// An instance may come and go before its provider has ever named it. Nothing on its Node says whose it was.
TEST(Turns, LeaveANodeThatNoListEverNamed) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();
    stage.make_node(a_node("n3"));
    stage.settle();

    stage.infrastructure_has({"n2"});
    stage.settle();
    const bool shrunk = !stage.node_exists("n1") && stage.node_exists("n3");
    stage.remove(kPools, kPool);
    stage.settle(10s);

    EXPECT_TRUE(shrunk);
    EXPECT_FALSE(stage.exists(kPools, kPool));
    EXPECT_FALSE(stage.node_exists("n2"));
    EXPECT_TRUE(stage.node_exists("n3"));
    EXPECT_THAT(stage.workload.described(), Not(Contains(HasSubstr("n3"))));
  });
}

TEST(Turns, GiveUpOnNodesOfAClusterOutOfReachAfterTheTimeout) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();
    stage.workload_clusters.lose(kTheCluster);

    stage.remove(kPools, kPool);
    stage.settle(8s);
    const bool waits = stage.exists(kPools, kPool);
    stage.settle(30s);

    EXPECT_TRUE(waits);
    EXPECT_FALSE(stage.exists(kPools, kPool));
    EXPECT_TRUE(stage.node_exists("n1"));
  });
}

// --- Machines ---

TEST(Turns, KeepOneMachinePerObjectOfTheProvider) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.make_pool();
    stage.connect();
    stage.start();
    stage.make_box("b1");
    stage.make_box("b2");
    stage.infrastructure_has({"b1", "b2"}, {{"infrastructureMachineKind", "Box"}});
    stage.make_node(a_node("b1"));
    stage.settle(20s);

    const auto machine = stage.read<api::Machine>("b1");
    EXPECT_EQ(machine.metadata.controller()->kind, "MachinePool");
    EXPECT_EQ(machine.metadata.labels.value_or_empty("cluster.x-k8s.io/pool-name"), "mp1");
    ASSERT_TRUE(machine.spec.bootstrap.data_secret_name);
    EXPECT_EQ(*machine.spec.bootstrap.data_secret_name, "");
    EXPECT_EQ(machine.spec.infrastructure_ref.name, "b1");
    EXPECT_EQ(machine.spec.version, "v1.36.3");
    EXPECT_TRUE(api::conditions::is_true(machine.status.conditions, "UpToDate"));
    EXPECT_TRUE(stage.exists(kMachines, "b2"));
    EXPECT_EQ(stage.pool().status.up_to_date_replicas, 2);
    (void)stage.requests();
    stage.settle(1h);
    EXPECT_THAT(stage.requests(), IsEmpty());
  });
}

TEST(Turns, MakeAMachineForAnObjectThatComesLater) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.make_pool();
    stage.connect();
    stage.start();
    stage.infrastructure_has({}, {{"infrastructureMachineKind", "Box"}});
    stage.settle();

    stage.make_box("b1");
    stage.settle();

    EXPECT_TRUE(stage.exists(kMachines, "b1"));
  });
}

TEST(Turns, AdoptAMachineThatNobodyControls) {
  in_simulation([](MachinePoolFixture& stage) {
    auto orphan = builders::a_machine("m7").build();
    orphan.metadata.labels.set("cluster.x-k8s.io/pool-name", kPool);
    orphan.spec.infrastructure_ref = {
        .api_group = Text(kBoxes.group), .kind = Text(kBoxes.kind), .name = Text("b1")};
    orphan.spec.bootstrap = {.data_secret_name = Text("")};
    stage.make(kMachines, api::to_json(orphan));
    stage.make_pool(a_pool(1));
    stage.connect();
    stage.start();
    stage.make_box("b1");

    stage.infrastructure_has({"b1"}, {{"infrastructureMachineKind", "Box"}});
    stage.settle();

    ASSERT_NE(stage.read<api::Machine>("m7").metadata.controller(), nullptr);
    EXPECT_EQ(stage.read<api::Machine>("m7").metadata.controller()->name, "mp1");
    EXPECT_FALSE(stage.exists(kMachines, "b1"));
  });
}

TEST(Turns, RemoveAMachineWhoseObjectIsGone) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.make_pool();
    stage.connect();
    stage.start();
    stage.make_box("b1");
    stage.make_box("b2");
    stage.infrastructure_has({"b1", "b2"}, {{"infrastructureMachineKind", "Box"}});
    stage.settle();

    stage.remove(kBoxes, "b2");
    stage.settle();

    EXPECT_FALSE(stage.read<api::Machine>("b1").metadata.deleting());
    EXPECT_TRUE(stage.read<api::Machine>("b2").metadata.deleting());  // its own controller takes it down
  });
}

TEST(Turns, KeepAMachineWhoseObjectOnlyTheCacheHasLost) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.make_pool();
    stage.connect();
    stage.start();
    stage.make_box("b1");
    stage.make_box("b2");
    stage.infrastructure_has({"b1", "b2"}, {{"infrastructureMachineKind", "Box"}});
    stage.settle();
    bool looked = false;
    right_before(stage, "get boxes b2", [&] {
      looked = true;
      stage.make_box("b2");
    });

    stage.remove(kBoxes, "b2");
    stage.settle(1min);

    EXPECT_TRUE(looked);
    ASSERT_TRUE(stage.exists(kMachines, "b2"));
    EXPECT_FALSE(stage.read<api::Machine>("b2").metadata.deleting());
    EXPECT_THAT(stage.requests(), Not(Contains("delete machines b2")));
  });
}

TEST(Turns, ChangeLabelsOfMachinesWithTheTemplate) {
  in_simulation([](MachinePoolFixture& stage) {
    auto pool = a_pool(1);
    pool.spec.machine_template.metadata.labels.set("team", "a");
    stage.make_pool(pool);
    stage.connect();
    stage.start();
    stage.make_box("b1");
    stage.infrastructure_has({"b1"}, {{"infrastructureMachineKind", "Box"}});
    stage.settle();

    stage.patch(kPools, kPool,
                {{"spec", {{"template", {{"metadata", {{"labels", {{"team", nullptr}, {"role", "x"}}}}}}}}}});
    stage.settle();

    const auto labels = stage.read<api::Machine>("b1").metadata.labels;
    EXPECT_FALSE(labels.contains("team"));
    EXPECT_EQ(labels.value_or_empty("role"), "x");
  });
}

TEST(Turns, ChangeLabelsOfAMachineWhoseFieldManagersWereReset) {
  in_simulation([](MachinePoolFixture& stage) {
    auto pool = a_pool(1);
    pool.spec.machine_template.metadata.labels.set("team", "a");
    stage.make_pool(pool);
    stage.connect();
    stage.start();
    stage.make_box("b1");
    stage.infrastructure_has({"b1"}, {{"infrastructureMachineKind", "Box"}});
    stage.settle();
    stage.patch(kMachines, "b1", {{"metadata", {{"managedFields", json::array{json::object()}}}}});
    stage.settle();

    stage.patch(kPools, kPool, {{"spec", {{"template", {{"metadata", {{"labels", {{"team", nullptr}}}}}}}}}});
    stage.settle();

    EXPECT_FALSE(stage.read<api::Machine>("b1").metadata.labels.contains("team"));
  });
}

}  // namespace
}  // namespace capstan::controllers::machinepool
