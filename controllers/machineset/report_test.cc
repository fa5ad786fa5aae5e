#include "controllers/machineset/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "controllers/machineset/seen_fixture.h"
#include "test/builders/node.h"

namespace capstan::controllers::machineset {
namespace {

using builders::a_machine;
using builders::a_machine_set;
using builders::a_node;
using builders::MachineBuilder;
using builders::noon;
using testing::ElementsAre;

api::MachineSet reported(const Seen& world, const Effects& effects = {}) {
  return report(world.seen(), world.plan(), effects).after;
}

std::string says(const api::MachineSet& set, std::string_view type) {
  const auto found = api::conditions::find(set.status.conditions, type);
  return found == nullptr ? std::string("absent")
                          : found->status.str() + " " + found->reason.str() + ": " + found->message.str();
}
std::string says_old(const api::MachineSet& set, std::string_view type) {
  const auto found = api::conditions::v1beta1::find(set.status.deprecated->v1beta1->conditions, type);
  if (found == nullptr) return "absent";
  return found->status.str() + " " + found->severity.str() + " " + found->reason.str() + ": " +
         found->message.str();
}

MachineBuilder well(std::string_view name) {
  return a_machine(name).in_set("ms1").running().up_to_date().aged(Seconds(600)).version("v1.30.0");
}

TEST(Report, CountsMachinesByTheirConditions) {
  const auto set = reported(a_world(a_machine_set().replicas(4))
                                .with(well("a"))
                                .with(well("b").not_ready())
                                .with(well("c").updating_in_place())
                                .with(well("d").deleting().not_ready()));

  EXPECT_EQ(set.status.replicas, 4);
  EXPECT_EQ(set.status.ready_replicas, 1);
  EXPECT_EQ(set.status.available_replicas, 2);
  EXPECT_EQ(set.status.up_to_date_replicas, 3);
}

TEST(Report, CountsMachinesThatItHasJustMadeOrMayHave) {
  Effects effects;
  effects.created = {"b", "c"};
  effects.in_doubt = 1;

  const auto set = reported(a_world(a_machine_set().replicas(4)).with(well("a")), effects);

  EXPECT_EQ(set.status.replicas, 4);
  EXPECT_EQ(set.status.available_replicas, 1);
}

TEST(Report, CountsVersionsOldestFirstAndBelievesKubelets) {
  const auto set = reported(a_world(a_machine_set().replicas(3))
                                .with(well("a").version("v1.30.10"))
                                .with(well("b").version("v1.30.9"))
                                .with(well("c").version("v1.30.10").with([](api::Machine& machine) {
                                  machine.status.node_info =
                                      api::NodeInfo({.kubelet_version = "v1.30.9+k3s1"_text});
                                })));

  std::vector<std::string> versions;
  for (const auto& each : set.status.versions) {
    versions.push_back(each.version.str() + " x" + std::to_string(*each.replicas));
  }
  EXPECT_THAT(versions, ElementsAre("v1.30.9 x1", "v1.30.9+k3s1 x1", "v1.30.10 x1"));
}

TEST(Report, TellsAutoscalersTheSelector) {
  EXPECT_EQ(reported(a_world()).status.selector,
            "cluster.x-k8s.io/cluster-name=c1,cluster.x-k8s.io/set-name=ms1");
}

TEST(Report, AMachineThatMayNotBeAdoptedIsNamedWhereItStandsInTheWay) {
  const auto set = reported(a_world(a_machine_set().replicas(1)),
                            {.in_the_way = {"may not adopt Machine a, which counts until then: policy"}});

  EXPECT_EQ(says(set, "ScalingUp"),
            "True ScalingUp: Scaling up from 0 to 1 replicas is blocked because:\n"
            "* may not adopt Machine a, which counts until then: policy");
}

TEST(Report, ObservedGenerationMovesAlsoAfterAFailure) {
  const auto world = a_world(a_machine_set().generation(7));

  EXPECT_EQ(reported(world).status.observed_generation, 7);
  EXPECT_EQ(reported(world, {.errors = {Error{.message = "no"}}}).status.observed_generation, 7);
}

TEST(Report, ObservedGenerationWaitsForTheCaches) {
  const auto world =
      a_world(a_machine_set().generation(7)).where([](Observation& seen) { seen.fresh = false; });

  EXPECT_EQ(reported(world).status.observed_generation, 0);
}

TEST(Report, CountsNobodyAsAvailableWhoIsOnTheWayOut) {
  const auto world =
      a_world(a_machine_set().replicas(3)).with(well("a")).with(well("b")).with(well("c").deleting());

  EXPECT_EQ(reported(world).status.available_replicas, 2);
  EXPECT_EQ(reported(world, {.deleted = {"b"}}).status.available_replicas, 1);
  EXPECT_EQ(reported(world).status.replicas, 3);
}

TEST(Report, ScalingUpNamesBothNumbers) {
  const auto set = reported(a_world(a_machine_set().replicas(3)).with(well("a")));

  EXPECT_EQ(says(set, "ScalingUp"), "True ScalingUp: Scaling up from 1 to 3 replicas");
  EXPECT_EQ(says(set, "ScalingDown"), "False NotScalingDown: ");
}

TEST(Report, ScalingUpSaysWhatStandsAgainstIt) {
  const auto set = reported(a_world(a_machine_set().replicas(1)).where([](Observation& seen) {
    seen.control_plane = {.referenced = true,
                          .described = "KubeadmControlPlane default/cp",
                          .version = "v1.30.0",
                          .provisioning = true};
  }));

  EXPECT_EQ(
      says(set, "ScalingUp"),
      "True ScalingUp: Scaling up from 0 to 1 replicas is blocked because:\n* KubeadmControlPlane default/cp "
      "is provisioning (\"ControlPlaneIsStable\" preflight check failed)");
  EXPECT_EQ(says_old(set, "MachinesCreated"),
            "False Error PreflightCheckFailed: KubeadmControlPlane default/cp is provisioning "
            "(\"ControlPlaneIsStable\" preflight check failed)");
}

TEST(Report, AtRestAMissingTemplateIsStillMentioned) {
  const auto missing = [](Observation& seen) { seen.infrastructure.state = TemplateSeen::State::Missing; };
  const auto both = [](Observation& seen) {
    seen.infrastructure.state = TemplateSeen::State::Missing;
    seen.bootstrap.state = TemplateSeen::State::Missing;
  };

  EXPECT_EQ(says(reported(a_world().with(well("a")).where(missing)), "ScalingUp"),
            "False NotScalingUp: Scaling up would be blocked because DockerMachineTemplate does not exist");
  EXPECT_EQ(says(reported(a_world().with(well("a")).where(both)), "ScalingUp"),
            "False NotScalingUp: Scaling up would be blocked because KubeadmConfigTemplate and "
            "DockerMachineTemplate do not exist");
}

TEST(Report, ARefusedCreationIsShownInBothGenerations) {
  Effects effects;
  effects.creation = {.reason = "MachineCreationFailed", .message = "failed to create Machine: quota"};

  const auto set = reported(a_world(a_machine_set().replicas(1)), effects);

  EXPECT_EQ(says(set, "ScalingUp"),
            "True ScalingUp: Scaling up from 0 to 1 replicas is blocked because:\n* failed to create "
            "Machine: quota");
  EXPECT_EQ(says_old(set, "MachinesCreated"),
            "False Error MachineCreationFailed: failed to create Machine: quota");
}

TEST(Report, ScalingDownNamesSlowDeletions) {
  const auto set = reported(a_world(a_machine_set().replicas(1))
                                .with(well("a"))
                                .with(well("b").deleting(Time::from_unix(noon().unix_seconds() - 1000))));

  EXPECT_EQ(
      says(set, "ScalingDown"),
      "True ScalingDown: Scaling down from 2 to 1 replicas\n* Machine b is in deletion since more than 15m");
}

// b was told to go `ago` and waits for a budget ever since.
MachineBuilder held_up_by_a_budget(Seconds ago) {
  const Time since = noon() + -ago;
  return well("b")
      .deleting(since)
      .not_ready("* Deleting: Machine deletion in progress, stage: DrainingNode")
      .condition("Deleting", "True", "DrainingNode",
                 "Drain not completed yet (started at x):\n* Pod ns/p: cannot evict pod, budget b needs 2")
      .with([&](api::Machine& machine) { machine.status.deletion.ensure().node_drain_start_time = since; });
}

TEST(Report, SaysAfterAMinuteWhatHoldsUpAMachineAndComesBackForThat) {
  const auto world = a_world(a_machine_set().replicas(1)).with(well("a"));
  auto early = world;
  const auto before = early.with(held_up_by_a_budget(Seconds(40)));
  auto late = world;
  const auto after = late.with(held_up_by_a_budget(Seconds(61)));

  EXPECT_EQ(says(reported(before), "ScalingDown"), "True ScalingDown: Scaling down from 2 to 1 replicas");
  EXPECT_EQ(report(before.seen(), before.plan(), {}).recheck, Seconds(21));
  EXPECT_EQ(says(reported(after), "ScalingDown"),
            "True ScalingDown: Scaling down from 2 to 1 replicas\n"
            "* Machine b, DrainingNode since 2026-01-01T11:58:59Z:\n"
            "  * Pod ns/p: cannot evict pod, budget b needs 2");
}

TEST(Report, SaysWhatHoldsUpAMachineThatIsReplacedToo) {
  const auto set =
      reported(a_world(a_machine_set().replicas(2)).with(well("a")).with(held_up_by_a_budget(Seconds(61))));

  EXPECT_EQ(says(set, "ScalingDown"), "False NotScalingDown: ");
  EXPECT_THAT(says(set, "MachinesReady"), testing::HasSubstr("\n* Machine b, DrainingNode since "));
}

TEST(Report, WithoutMachinesThereIsNothingUnready) {
  const auto set = reported(a_world(a_machine_set().replicas(0)));

  EXPECT_EQ(says(set, "MachinesReady"), "True NoReplicas: ");
  EXPECT_EQ(says(set, "MachinesUpToDate"), "True NoReplicas: ");
  EXPECT_EQ(says(set, "Remediating"), "False NotRemediating: ");
  EXPECT_EQ(says(set, "Deleting"), "False NotDeleting: ");
}

TEST(Report, MachinesReadyNamesThoseThatAreNot) {
  const auto set = reported(
      a_world(a_machine_set().replicas(2)).with(well("a")).with(well("b").not_ready("* NodeHealthy: no")));

  EXPECT_EQ(says(set, "MachinesReady"), "False NotReady: * Machine b:\n  * NodeHealthy: no");
}

TEST(Report, ANewMachineMayBeWithoutUpToDateForTenSeconds) {
  const auto machine = a_machine("a").in_set("ms1").running();
  const auto young = a_world().with(MachineBuilder(machine).aged(Seconds(10)));
  const auto old = a_world().with(MachineBuilder(machine).aged(Seconds(11)));

  EXPECT_EQ(says(reported(young), "MachinesUpToDate"), "True NoReplicas: ");
  EXPECT_EQ(says(reported(old), "MachinesUpToDate"),
            "Unknown UpToDateUnknown: * Machine a: Condition UpToDate not yet reported");
  EXPECT_EQ(report(young.seen(), young.plan(), {}).recheck, Seconds(1));
}

TEST(Report, RemediatingShowsWhatEachMachineIsWaitingFor) {
  const auto set =
      reported(a_world(a_machine_set().replicas(2)).with(well("a")).with(well("b").awaiting_remediation()));

  EXPECT_EQ(says(set, "Remediating"), "True Remediating: * Machine b: Machine is deleting");
}

TEST(Report, SickMachinesNobodyHandedOverAreMentioned) {
  const auto set =
      reported(a_world(a_machine_set().replicas(2)).with(well("a").unhealthy()).with(well("b").unhealthy()));

  EXPECT_EQ(says(set, "Remediating"),
            "False NotRemediating: Machines a, b are not healthy (not to be remediated by MachineSet)");
}

TEST(Report, RemediatingShowsWhichUnhealthyMachinesWaitForAPlace) {
  const Seen world = a_world().with(well("a"));
  Plan plan = world.plan();
  plan.replacements_wait = "Machines a, b wait";

  EXPECT_EQ(says(report(world.seen(), plan, {}).after, "Remediating"),
            "True Remediating: * Machines a, b wait");
}

TEST(Report, DeletionIsCountedDown) {
  const auto deleting = [] { return a_machine_set().replicas(2).deleting(); };

  EXPECT_EQ(says(reported(a_world(deleting()).with(well("a"))), "Deleting"),
            "True Deleting: Deleting 1 Machine");
  EXPECT_EQ(says(reported(a_world(deleting()).with(well("a")).with(well("b"))), "Deleting"),
            "True Deleting: Deleting 2 Machines");
  EXPECT_EQ(says(reported(a_world(deleting())), "Deleting"), "True Deleting: Deletion completed");
  EXPECT_EQ(says(reported(a_world(deleting()).with(well("a"))), "ScalingDown"),
            "True ScalingDown: Scaling down from 1 to 0 replicas");
}

TEST(Report, TheOlderCountersFollowNodes) {
  const auto set = reported(a_world(a_machine_set().replicas(2).with([](api::MachineSet& each) {
                              each.spec.machine_template.spec.min_ready_seconds = 30;
                            }))
                                .with(well("a"))
                                .with(well("b"))
                                .where([](Observation& seen) {
                                  seen.sees_nodes = true;
                                  seen.nodes[0] = a_node("a").condition("Ready", "True", {}, noon()).shared();
                                  seen.nodes[1] = a_node("b")
                                                      .condition("Ready", "True", {},
                                                                 Time::from_unix(noon().unix_seconds() - 31))
                                                      .shared();
                                }));

  EXPECT_EQ(set.status.deprecated->v1beta1->ready_replicas, 2);
  EXPECT_EQ(set.status.deprecated->v1beta1->available_replicas, 1);
}

TEST(Report, ANodeWhoseClockIsAheadIsLookedAtAgainAllTheSame) {
  const auto world =
      a_world(a_machine_set().replicas(1).with(
                  [](api::MachineSet& each) { each.spec.machine_template.spec.min_ready_seconds = 30; }))
          .with(well("a"))
          .where([](Observation& seen) {
            seen.nodes[0] = a_node("a")
                                .condition("Ready", "True", {}, Time::from_unix(noon().unix_seconds() + 5))
                                .shared();
          });

  EXPECT_EQ(report(world.seen(), world.plan(), {}).recheck, Seconds(31));
}

// A set of so many that said so of its Nodes when they were last seen.
Seen last_seen(std::int32_t ready, std::int32_t available) {
  return a_world(a_machine_set().replicas(3).with([&](api::MachineSet& set) {
    auto& old = set.status.deprecated.ensure().v1beta1.ensure();
    old.ready_replicas = ready;
    old.available_replicas = available;
  }));
}

std::string v1beta1_counters(const Seen& world) {
  const auto set = reported(world);
  const auto& old = *set.status.deprecated->v1beta1;
  return std::to_string(old.ready_replicas) + " ready, " + std::to_string(old.available_replicas) +
         " available";
}

TEST(Report, TheOlderCountersStayAsTheyStandWhileNobodySeesNodes) {
  EXPECT_EQ(v1beta1_counters(last_seen(3, 2).with(well("a")).with(well("b")).with(well("c"))),
            "3 ready, 2 available");
}

TEST(Report, TheOlderCountersNeverStandAboveMachinesWithNodes) {
  EXPECT_EQ(v1beta1_counters(last_seen(3, 2).with(well("a"))), "1 ready, 1 available");
  EXPECT_EQ(v1beta1_counters(last_seen(3, 2).with(well("a")).with(a_machine("b").in_set("ms1"))),
            "1 ready, 1 available");
  EXPECT_EQ(v1beta1_counters(last_seen(3, 2)), "0 ready, 0 available");
}

TEST(Report, TheOlderCountersOfANewSetAreZeroUntilNodesAreSeen) {
  EXPECT_EQ(v1beta1_counters(a_world(a_machine_set().replicas(1)).with(well("a"))), "0 ready, 0 available");
}

TEST(Report, TheOlderCountersCountOffNodesThatAreSeenToBeGone) {
  const auto seen = [](Observation& each) { each.sees_nodes = true; };

  EXPECT_EQ(v1beta1_counters(last_seen(3, 2).with(well("a")).where(seen)), "0 ready, 0 available");
}

TEST(Report, ResizedSaysWhereTo) {
  EXPECT_EQ(says_old(reported(a_world(a_machine_set().replicas(3))), "Resized"),
            "False Warning ScalingUp: Scaling up MachineSet to 3 replicas (actual 0)");
  EXPECT_EQ(says_old(reported(a_world(a_machine_set().replicas(0)).with(well("a"))), "Resized"),
            "False Warning ScalingDown: Scaling down MachineSet to 0 replicas (actual 1)");
  EXPECT_EQ(says_old(reported(a_world().with(well("a"))), "Resized"), "absent");
  EXPECT_EQ(says_old(reported(a_world(a_machine_set().replicas(0))), "Resized"), "True  : ");
}

TEST(Report, ChangesNothingTheSecondTime) {
  auto world = a_world(a_machine_set().replicas(2)).with(well("a")).with(well("b").not_ready());
  const auto once = reported(world);

  world.where([&](Observation& seen) {
    seen.stored = std::make_shared<const api::MachineSet>(once);
    seen.now = seen.now + Seconds(5);
  });

  EXPECT_EQ(reported(world), once);
}

}  // namespace
}  // namespace capstan::controllers::machineset
