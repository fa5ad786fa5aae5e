#include "controllers/machinepool/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/v1beta1.h"
#include "controllers/machinepool/seen_fixture.h"

namespace capstan::controllers::machinepool {
namespace {

using builders::a_node;
using builders::noon;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// "False NotReady: why"
std::string told(const api::MachinePool& pool, std::string_view type) {
  const auto found = api::conditions::find(pool.status.conditions, type);
  if (found == nullptr) return "nothing";
  return found->status.str() + " " + found->reason.str() +
         (found->message.empty() ? "" : ": " + found->message.str());
}
std::string old_told(const api::MachinePool& pool, std::string_view type) {
  const auto found = api::conditions::v1beta1::find(pool.status.deprecated->v1beta1->conditions, type);
  if (found == nullptr) return "nothing";
  return found->status.str() + (found->reason.empty() ? "" : " " + found->reason.str()) +
         (found->severity.empty() ? "" : " " + found->severity.str());
}
const json::object kCreated = {
    {"status", {{"initialization", {{"dataSecretCreated", true}}}, {"dataSecretName", "data"}}}};

Seen running(std::int32_t replicas = 2) {
  Seen world;
  world.pool.spec.replicas = replicas;
  world.bootstrap(kCreated).instances({"n1", "n2"}).with(a_node("n1")).with(a_node("n2"));
  return world;
}

// --- phase ---

TEST(Phase, GoesFromPendingToRunning) {
  Seen world;
  EXPECT_EQ(world.reported().status.phase, "Pending");

  world.bootstrap(kCreated);
  EXPECT_EQ(world.reported().status.phase, "Provisioning");

  world.pool.spec.replicas = 1;
  world.instances({"n1"}).without_node("n1");
  EXPECT_EQ(world.reported().status.phase, "ScalingUp");

  world.where([](Observation& seen) { seen.instances[0].node = a_node("n1").shared(); });
  EXPECT_EQ(world.reported().status.phase, "Running");
}

TEST(Phase, IsScalingDownWithMoreThanWanted) { EXPECT_EQ(running(1).reported().status.phase, "ScalingDown"); }

TEST(Phase, IsScalingWhereSomebodyElseDecidesTheSize) {
  for (const auto* manager : {"", "external-autoscaler"}) {
    auto world = running(5);
    world.pool.metadata.annotations.set("cluster.x-k8s.io/replicas-managed-by", manager);
    EXPECT_EQ(world.reported().status.phase, "Scaling") << manager;
  }
  auto world = running(5);
  world.pool.metadata.annotations.set("cluster.x-k8s.io/replicas-managed-by", "false");
  EXPECT_EQ(world.reported().status.phase, "ScalingUp");
  auto equal = running(2);
  equal.pool.metadata.annotations.set("cluster.x-k8s.io/replicas-managed-by", "");
  EXPECT_EQ(equal.reported().status.phase, "Running");
}

TEST(Phase, IsProvisionedWhenTheInfrastructureFallsBack) {
  auto world = running();
  world.infra({{"status", {{"ready", false}}}});
  world.pool.status.initialization.bootstrap_data_secret_created = true;

  EXPECT_EQ(world.reported().status.phase, "Provisioned");
}

TEST(Phase, FallsBackWhenANodeBreaks) {
  Seen world;
  world.pool.spec.replicas = 2;
  world.bootstrap(kCreated).instances({"n1", "n2"}).with(a_node("n1")).with(a_node("n2").not_ready());

  EXPECT_EQ(world.reported().status.phase, "ScalingUp");
}

TEST(Phase, IsDeletingForOneThatGoes) {
  Seen world;
  world.pool.metadata.deletion_timestamp = builders::noon();
  const auto seen = world.seen();

  const auto after = report(seen, decide(seen), {.pool = *seen.pool}).after;

  EXPECT_EQ(after.status.phase, "Deleting");
  EXPECT_EQ(told(after, "Deleting"),
            "True WaitingForInfrastructureDeletion: Waiting for the deletion of BoxPool mp1, Recipe mp1");
}

// --- counters ---

TEST(Counters, ComeFromNodesWhereThereAreNoMachines) {
  Seen world;
  world.pool.spec.machine_template.spec.min_ready_seconds = 60;
  const Time long_ago = Time::from_unix(builders::noon().unix_seconds() - 61);
  world.bootstrap(kCreated)
      .instances({"n1", "n2", "n3", "n4"})
      .with(a_node("n1").condition("Ready", "True", "", long_ago))
      .with(a_node("n2").kubelet_version("v1.35.0"))
      .with(a_node("n3").not_ready())
      .without_node("n4");

  const auto after = world.reported();

  EXPECT_EQ(after.status.replicas, 4);
  EXPECT_EQ(after.status.ready_replicas, 2);
  EXPECT_EQ(after.status.available_replicas, 1);
  EXPECT_EQ(after.status.up_to_date_replicas, 3);
  const auto& old = *after.status.deprecated->v1beta1;
  EXPECT_EQ(old.ready_replicas, 2);
  EXPECT_EQ(old.available_replicas, 1);
  EXPECT_EQ(old.unavailable_replicas, 3);
  std::vector<std::string> versions;
  for (const auto& each : after.status.versions)
    versions.push_back(each.version.str() + " " + std::to_string(each.replicas.value_or(0)));
  EXPECT_THAT(versions, ElementsAre("v1.35.0 1", "v1.36.3 2"));
}

TEST(Counters, ComeFromMachinesWhereThereAreSome) {
  Seen world;
  world.bootstrap(kCreated).instances({"n1", "n2"}).boxes({}).with(a_node("n1"));
  world.with(builders::a_machine("a").in_pool(kPool).ready().available().up_to_date().version("v1.35.0"));
  world.with(builders::a_machine("b").in_pool(kPool).ready());

  const auto after = world.reported();

  EXPECT_EQ(after.status.ready_replicas, 2);
  EXPECT_EQ(after.status.available_replicas, 1);
  EXPECT_EQ(after.status.up_to_date_replicas, 1);
  EXPECT_EQ(after.status.versions.size(), 1u);
}

TEST(Counters, StayWhileTheClusterCannotBeReached) {
  Seen world;
  world.bootstrap(kCreated).knows({"n1"}).referred({"n1"}).instances({"n1"});
  world.pool.status.ready_replicas = 1;
  world.pool.status.deprecated.ensure().v1beta1.ensure().ready_replicas = 1;
  world.pool.status.versions.emplace_back();

  const auto after = world.reported();

  EXPECT_EQ(after.status.ready_replicas, 1);
  EXPECT_EQ(after.status.versions.size(), 1u);
  EXPECT_EQ(after.status.node_refs.size(), 1u);
  EXPECT_EQ(after.status.deprecated->v1beta1->ready_replicas, 1);
}

TEST(Counters, LookAgainWhenTheNextNodeBecomesAvailable) {
  Seen world;
  world.pool.spec.machine_template.spec.min_ready_seconds = 60;
  world.bootstrap(kCreated).instances({"n1"}).with(a_node("n1"));
  const auto seen = world.seen();

  EXPECT_EQ(report(seen, decide(seen), {.pool = world.pool}).recheck, Seconds(61));
}

TEST(NodeRefs, StandInTheOrderOfTheListAndHaveUids) {
  Seen world;
  world.instances({"n2", "n1"}).with(a_node("n2")).with(a_node("n1"));

  const auto after = world.reported();

  ASSERT_EQ(after.status.node_refs.size(), 2u);
  EXPECT_EQ(after.status.node_refs[0].name, "n2");
  EXPECT_EQ(after.status.node_refs[0].kind, "Node");
  EXPECT_EQ(after.status.node_refs[0].api_version, "v1");
  EXPECT_EQ(after.status.node_refs[0].uid, builders::uid_of("Node", "n2"));
  EXPECT_EQ(after.status.node_refs[1].name, "n1");
}

TEST(NodeRefs, OfNodesThatCannotRetireNowStay) {
  auto behind = a_pool_world();
  behind.knows({"n2"}).instances({"n2"}).referred({"n1", "n2"}).with(a_node("n2"));
  behind.where([](Observation& seen) {
    seen.fresh = false;
    std::erase_if(seen.former, [](const auto& node) { return node->metadata.name == "n2"; });
  });

  const auto refs = behind.reported().status.node_refs;

  ASSERT_EQ(refs.size(), 2u);
  EXPECT_EQ(refs.back().name, "n1");
}

TEST(NodeRefs, OfRetiredNodesStayUntilTheyAreDeleted) {
  auto world = running();

  const auto after = world.reported({.kept = {a_node("n9").shared()}});

  ASSERT_EQ(after.status.node_refs.size(), 3u);
  EXPECT_EQ(after.status.node_refs[2].name, "n9");
  EXPECT_THAT(told(after, "ScalingDown"), HasSubstr("True ScalingDown"));
  const auto scaling_down = api::conditions::find(after.status.conditions, "ScalingDown");
  EXPECT_EQ(scaling_down->message, "Nodes whose instance left the list have to go: 1");
}

TEST(Scaling, DownSaysWhichBrakeIsShut) {
  auto world = running(1);
  world.where(
      [](Observation& seen) { seen.may_delete = {.open = false, .why = "API server lost since noon"}; });

  const auto after = world.reported();

  const auto scaling_down = api::conditions::find(after.status.conditions, "ScalingDown");
  EXPECT_EQ(scaling_down->message, "Scaling down from 2 to 1 replicas\n* API server lost since noon");
  EXPECT_TRUE(world.plan().recheck) << "it is gone from there when the brake opens";
}

// --- conditions ---

TEST(Conditions, OfAPoolThatRunsAreGood) {
  const auto after = running().reported();

  EXPECT_EQ(told(after, "Paused"), "False NotPaused");
  EXPECT_EQ(told(after, "BootstrapConfigReady"), "True Ready");
  EXPECT_EQ(told(after, "InfrastructureReady"), "True Ready");
  EXPECT_EQ(told(after, "Available"), "True Available");
  EXPECT_EQ(told(after, "ScalingUp"), "False NotScalingUp");
  EXPECT_EQ(told(after, "ScalingDown"), "False NotScalingDown");
  EXPECT_EQ(told(after, "MachinesReady"), "True Ready");
  EXPECT_EQ(told(after, "MachinesUpToDate"), "nothing");
  EXPECT_EQ(told(after, "Deleting"), "False NotDeleting");
  EXPECT_EQ(old_told(after, "Ready"), "True");
  EXPECT_EQ(old_told(after, "BootstrapReady"), "True");
  EXPECT_EQ(old_told(after, "InfrastructureReady"), "True");
  EXPECT_EQ(old_told(after, "ReplicasReady"), "True");
  EXPECT_EQ(after.status.observed_generation, 2);
}

TEST(Conditions, OfAPoolThatWaitsSayForWhat) {
  const auto after = Seen().connected().reported();

  EXPECT_EQ(told(after, "BootstrapConfigReady"),
            "False NotReady: Recipe status.initialization.dataSecretCreated is false");
  EXPECT_EQ(told(after, "InfrastructureReady"),
            "False NotReady: BoxPool status.initialization.provisioned is false");
  EXPECT_EQ(told(after, "ScalingUp"), "True ScalingUp: Scaling up from 0 to 3 replicas");
  EXPECT_EQ(told(after, "Available"), "False NotAvailable: 0 available replicas, at least 3 required");
  EXPECT_EQ(old_told(after, "BootstrapReady"), "False WaitingForDataSecret Info");
  EXPECT_EQ(old_told(after, "InfrastructureReady"), "False WaitingForInfrastructure Info");
  EXPECT_EQ(old_told(after, "ReplicasReady"), "False WaitingForReplicasReady Info");
  EXPECT_EQ(old_told(after, "Ready"), "False WaitingForDataSecret Info");
}

TEST(Conditions, OfASecretByTheUserAreGood) {
  Seen world;
  world.pool.spec.machine_template.spec.bootstrap = {.data_secret_name = Text("mine")};
  world.where([](Observation& seen) { seen.bootstrap = {}; });

  const auto after = world.reported();

  EXPECT_EQ(told(after, "BootstrapConfigReady"), "True DataSecretProvided");
  EXPECT_EQ(old_told(after, "BootstrapReady"), "True");
}

TEST(Conditions, OfAnInfrastructureThatDisappearedSaySoInBothGenerations) {
  auto world = running();
  world.pool.status.initialization.infrastructure_provisioned = true;
  world.where([](Observation& seen) { seen.infra.state = ExternalSeen::State::Missing; });

  const auto after = world.reported();

  EXPECT_EQ(told(after, "InfrastructureReady"),
            "False ObjectDeleted: BoxPool has been deleted while the MachinePool still exists");
  EXPECT_EQ(old_told(after, "InfrastructureReady"), "False IncorrectExternalRef Error");
  EXPECT_EQ(after.status.deprecated->v1beta1->failure_reason, "InvalidConfiguration");
  EXPECT_EQ(after.status.deprecated->v1beta1->failure_message,
            "MachinePool infrastructure resource BoxPool default/mp1 has been deleted after being ready");
  EXPECT_EQ(after.status.observed_generation, 0);
}

TEST(Conditions, NameAListThatIsNotBelieved) {
  auto world = running();
  world.knows({"n1", "n2"}).instances({"n1", ""});

  EXPECT_EQ(told(world.reported(), "InfrastructureReady"),
            "False InvalidProviderIDList: spec.providerIDList of BoxPool mp1 has 1 empty entry: its "
            "provider has to name every instance or leave it out; the list known before stays");
}

TEST(Conditions, NameNodesThatShareAnId) {
  Seen world;
  world.instances({"n1"}).without_node("n1").where(
      [](Observation& seen) { seen.instances[0].doubles = {Text("n1"), Text("n2")}; });

  EXPECT_EQ(
      told(world.reported(), "MachinesReady"),
      "Unknown DuplicateNodes: * Nodes n1, n2 have the same spec.providerID docker:////n1: delete those "
      "that are not its instance's");
}

TEST(Conditions, NameInstancesAndNodesThatLack) {
  Seen world;
  world.instances({"n1", "n2"}).without_node("n1").with(a_node("n2").not_ready());

  EXPECT_EQ(told(world.reported(), "MachinesReady"),
            "False NotReady: * Instances without a Node: docker:////n1\n* Nodes that are not Ready: n2");
}

TEST(Conditions, SayWhenNodesCannotBeRead) {
  Seen world;
  world.knows({"n1"}).instances({"n1"});

  EXPECT_EQ(told(world.reported(), "MachinesReady"),
            "Unknown ConnectionDown: Nodes can't be read: no connection has been made yet");
}

TEST(Counters, OfAClusterOutOfReachOnlyLoseInstancesThatHaveLeft) {
  const auto counted = [](const api::MachinePool& pool) {
    const auto& old = *pool.status.deprecated->v1beta1;
    return std::vector{pool.status.replicas.value_or(-1),
                       pool.status.ready_replicas.value_or(-1),
                       pool.status.available_replicas.value_or(-1),
                       old.ready_replicas,
                       old.available_replicas,
                       old.unavailable_replicas};
  };
  Seen lost;
  lost.pool = running().reported();
  lost.bootstrap(kCreated).instances({"n1", "n2"});
  ASSERT_THAT(counted(lost.pool), ElementsAre(2, 2, 2, 2, 2, 0));

  EXPECT_THAT(counted(lost.reported()), ElementsAre(2, 2, 2, 2, 2, 0));
  lost.instances({"n1"});
  EXPECT_THAT(counted(lost.reported()), ElementsAre(1, 1, 1, 1, 1, 0));
  lost.instances({"n1", "n2", "n3"});
  EXPECT_THAT(counted(lost.reported()), ElementsAre(3, 2, 2, 2, 2, 1));
}

TEST(Conditions, OfAManagerThatHasJustStartedStandAsTheyWere) {
  Seen world;
  world.knows({"n1"}).instances({"n1"});
  const auto stands = [&](std::string_view status, std::string_view reason, std::string_view message) {
    api::conditions::set(world.pool.status.conditions,
                         api::conditions::make("MachinesReady", status, reason, message), 1, noon());
  };
  const auto tried_for = [&](Seconds span) {
    world.where([&](Observation& seen) {
      seen.reach.first_failure = seen.now + -span;
      seen.reach.problem = "connection refused";
    });
  };
  const std::string down = "Unknown ConnectionDown: Nodes can't be read: connection refused";
  stands("True", "Ready", "");

  EXPECT_EQ(told(world.reported(), "MachinesReady"), "True Ready");
  tried_for(Seconds(49));
  EXPECT_EQ(told(world.reported(), "MachinesReady"), "True Ready");
  EXPECT_EQ(report(world.seen(), world.plan(), {.pool = world.pool}).recheck, Seconds(1));
  tried_for(Seconds(50));
  EXPECT_EQ(told(world.reported(), "MachinesReady"), down);

  world.where([](Observation& seen) { seen.reach = {.problem = "no connection has been made yet"}; });
  stands("Unknown", "ConnectionDown", "Nodes can't be read: Secret c1-kubeconfig does not exist");
  EXPECT_EQ(told(world.reported(), "MachinesReady"),
            "Unknown ConnectionDown: Nodes can't be read: Secret c1-kubeconfig does not exist");
  tried_for(Seconds(1));
  EXPECT_EQ(told(world.reported(), "MachinesReady"), down);
}

TEST(Conditions, SumUpMachines) {
  Seen world;
  world.instances({"n1"}).boxes({}).connected();
  world.with(builders::a_machine("a").in_pool(kPool).ready().up_to_date());
  world.with(builders::a_machine("b").in_pool(kPool).not_ready("disk").outdated("old"));

  const auto after = world.reported();

  EXPECT_EQ(told(after, "MachinesReady"), "False NotReady: * Machine b: disk");
  EXPECT_EQ(told(after, "MachinesUpToDate"), "False NotUpToDate: * Machine b: old");
}

TEST(Conditions, SayAfterAMinuteWhatHoldsUpAMachineAndComeBackForThat) {
  const auto held_up_for = [](Seconds ago) {
    const Time since = builders::noon() + -ago;
    Seen world;
    world.bootstrap(kCreated).instances({"n1"}).boxes({}).connected();
    world.with(
        builders::a_machine("a")
            .in_pool(kPool)
            .not_ready("going")
            .deleting(since)
            .condition("Deleting", "True", "DrainingNode", "Drain not completed:\n* Pod ns/p: budget b")
            .with([&](api::Machine& machine) {
              machine.status.deletion.ensure().node_drain_start_time = since;
            }));
    return world;
  };
  const auto early = held_up_for(Seconds(40));
  const auto late = held_up_for(Seconds(61));

  EXPECT_THAT(told(early.reported(), "MachinesReady"), Not(HasSubstr("ns/p")));
  EXPECT_EQ(report(early.seen(), decide(early.seen()), {.pool = early.pool}).recheck, Seconds(21));
  EXPECT_THAT(told(late.reported(), "MachinesReady"),
              HasSubstr("\n* Machine a, DrainingNode since 2026-01-01T11:58:59Z:\n  * Pod ns/p: budget b"));
}

TEST(Conditions, CopyAFailureForOlderClients) {
  Seen world;
  world.infra({{"status", {{"failureReason", "CreateError"}, {"failureMessage", "no quota"}}}});

  const auto after = world.reported();
  const auto& old = *after.status.deprecated->v1beta1;

  EXPECT_EQ(old.failure_reason, "CreateError");
  EXPECT_EQ(old.failure_message,
            "Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1beta2, Kind=BoxPool "
            "with name \"mp1\": no quota");
}

TEST(Conditions, KeepTheObservedGenerationBackWhileSomethingFails) {
  auto world = running();

  const auto failed = world.reported({.errors = {{.code = Code::Timeout, .message = "x"}}});
  const auto raced = world.reported({.errors = {{.code = Code::Conflict, .message = "x"}}});

  EXPECT_EQ(failed.status.observed_generation, 0);
  EXPECT_EQ(raced.status.observed_generation, 2);
}

}  // namespace
}  // namespace capstan::controllers::machinepool
