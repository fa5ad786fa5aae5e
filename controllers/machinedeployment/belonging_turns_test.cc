// Whole turns about what belongs to a MachineDeployment: what it releases, what is taken from it, what it
// waits for.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/policy/names.h"
#include "controllers/machinedeployment/turn_fixture.h"
#include "runtime/ownership.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machinedeployment {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// Controlled by nothing, and md1 selects it: two replicas of its template.
api::MachineSet a_free_set(std::string_view name) {
  return a_machine_set(name)
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

// A Machine as the set has made it.
api::Machine a_machine_of(const api::MachineSet& set, std::string_view name) {
  api::Machine machine = builders::a_machine(name);
  machine.metadata.labels = set.spec.machine_template.metadata.labels;
  machine.metadata.owner_references = api::OwnerReferences(
      {runtime::controller_reference(kube::resource_of<api::MachineSet>(), set.metadata)});
  return machine;
}

// --- kubectl delete --cascade=orphan ---

TEST(Turns, CascadeOrphanLeavesMachineSetsAlsoWhenTheirWatchIsHalfAMinuteBehind) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.delay_watch("MachineSet", 30s);

    stage.remove_and_orphan();
    stage.run_cluster_controllers();
    stage.settle(3min);

    EXPECT_TRUE(stage.is_gone());
    EXPECT_THAT(stage.sizes(), ElementsAre(3));
    EXPECT_THAT(stage.events.events, Not(Contains(HasSubstr("Warning"))));
  });
}

TEST(Turns, WhileTheFinalizerOrphanStandsNothingIsDeletedOrAdopted) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.remove_and_orphan();
    stage.make(a_free_set("stray"));
    stage.settle(5min);

    EXPECT_THAT(stage.sizes(), ElementsAre(3, 2));
    EXPECT_EQ(stage.sets().back().metadata.controller(), nullptr);
    EXPECT_EQ(stage.says("Deleting"),
              "True Deleting: Waiting for the garbage collector to release MachineSets (--cascade=orphan)");

    stage.run_cluster_controllers();
    stage.settle();

    EXPECT_TRUE(stage.is_gone());
    EXPECT_THAT(stage.sizes(), ElementsAre(3, 2));
  });
}

TEST(Turns, WhatCascadeOrphanReleasedIsNotTakenBackByACacheThatIsBehind) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.delay_watch("MachineDeployment", 30s);

    stage.remove_and_orphan();
    stage.run_cluster_controllers();
    stage.settle(5min);

    EXPECT_TRUE(stage.is_gone());
    EXPECT_THAT(stage.sizes(), ElementsAre(3));
    EXPECT_THAT(stage.events.events, Not(Contains(HasSubstr("SuccessfulAdopt"))));
  });
}

TEST(Turns, WhatCascadeOrphanReleasedIsAdoptedByTheNextDeployment) {
  at_rest([](MachineDeploymentFixture& stage) {
    const auto name = stage.sets().front().metadata.name;
    stage.remove_and_orphan();
    stage.run_cluster_controllers();
    stage.settle();
    ASSERT_TRUE(stage.is_gone());

    stage.make(a_machine_deployment().replicas(3).version("v1.33.0").build());
    stage.settle();

    ASSERT_THAT(stage.sizes(), ElementsAre(3));
    EXPECT_EQ(stage.sets().front().metadata.name, name);
    EXPECT_TRUE(runtime::is_controlled_by(stage.sets().front().metadata, stage.deployment().metadata.uid));
  });
}

TEST(Turns, ASetThatChangedUnseenGoesWithItsDeployment) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.delay_watch("MachineSet", 30s);
    stage.edit<api::MachineSet>(stage.sets().front().metadata.name.view(),
                                R"({"metadata":{"labels":{"note":"a-user-was-here"}}})");

    must(stage.user.remove(kube::resource_of<api::MachineDeployment>(), stage.key(), {}, Deadline::never()));
    stage.settle(10s);

    EXPECT_THAT(stage.sets(), IsEmpty());
    EXPECT_THAT(stage.events.events, Each(HasSubstr("Normal SuccessfulDelete")));
  });
}

// --- adoption ---

TEST(Turns, ADeploymentAtFaultAdoptsNothingOnItsWayOut) {
  in_simulation([](MachineDeploymentFixture& stage) {
    // Its selector matches a label that its own Machines would not get.
    stage.make_fleet(a_machine_deployment().with(
        [](auto& deployment) { deployment.spec.selector.match_labels.set("team", "red"); }));
    api::MachineSet another = a_free_set("of-another");
    another.metadata.labels.set("team", "red");
    stage.make(another);
    stage.start();

    must(stage.user.remove(kube::resource_of<api::MachineDeployment>(), stage.key(), {}, Deadline::never()));
    stage.settle();

    EXPECT_TRUE(stage.is_gone());
    EXPECT_THAT(stage.sizes(), ElementsAre(2));
  });
}

TEST(Turns, AnAdoptionThatMeetsAnotherWriteIsNoWarning) {
  at_rest([](MachineDeploymentFixture& stage) {
    int conflicts = 0;
    stage.choose = [&](const FaultPoint& at) {
      const bool first = at.kind == "MachineSet" && at.call == fakes::Call::Patch && conflicts == 0;
      conflicts += first ? 1 : 0;
      return first ? fakes::Fault::Conflict : fakes::Fault::None;
    };

    stage.make(a_free_set("stray"));
    stage.settle();

    EXPECT_EQ(conflicts, 1);
    EXPECT_THAT(stage.events.events, Contains("Normal SuccessfulAdopt: Adopted MachineSet \"stray\""));
    EXPECT_THAT(stage.events.events, Not(Contains(HasSubstr("Warning"))));
  });
}

// --- spec.replicas left out ---

constexpr std::string_view kNoReplicas = R"({{"spec":{{"replicas":null}},"metadata":{{"annotations":{{
    "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size":"{}",
    "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size":"{}"}}}}}})";

TEST(Turns, LeavingReplicasToAnAutoscalerDeletesNoMachine) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(fmt::format(kNoReplicas, 1, 5));
    stage.settle(11min);

    EXPECT_THAT(stage.sizes(), ElementsAre(3));
  });
}

TEST(Turns, ReplicasLeftToAnAutoscalerStayWithinItsLimits) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(fmt::format(kNoReplicas, 4, 5));
    stage.settle();
    EXPECT_THAT(stage.sizes(), ElementsAre(4));

    stage.edit(fmt::format(kNoReplicas, 1, 2));
    stage.settle();
    EXPECT_THAT(stage.sizes(), ElementsAre(2));
  });
}

// The sets have one more than is wanted while they roll.
TEST(Turns, LeavingReplicasOutWhileItRollsDoesNotCountTheSurge) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.34.0"}}}})");
    stage.settle();
    ASSERT_THAT(stage.sizes(), ElementsAre(3, 1));

    stage.edit(fmt::format(kNoReplicas, 1, 9));
    for (int step = 0; step < 8; ++step) {
      stage.settle();
      stage.play_sets();
    }

    EXPECT_THAT(stage.sizes(), ElementsAre(3));
  });
}

constexpr std::string_view kPause = R"({"spec":{"paused":true}})";
constexpr std::string_view kResume = R"({"spec":{"paused":false}})";

void orphan_the_only_set(MachineDeploymentFixture& stage) {
  must(stage.user.remove(kube::resource_of<api::MachineSet>(),
                         stage.key(stage.sets().front().metadata.name.view()),
                         {.propagation = kube::Propagation::Orphan}, Deadline::never()));
  stage.settle();
  stage.run_cluster_controllers();
  stage.settle();
  ASSERT_THAT(stage.sizes(), IsEmpty());
}

// A paused deployment of three lost its MachineSet, which had the number noted, and got none for it.
TEST(Turns, ReplicasLeftOutStayWhereAPausedDeploymentHasLostItsOnlySet) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(kPause);
    stage.settle();
    orphan_the_only_set(stage);

    stage.edit(fmt::format(kNoReplicas, 0, 9));
    stage.settle();
    stage.edit(kResume);
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(3));
    EXPECT_FALSE(stage.deployment().metadata.annotations.contains(annotation::kDesiredReplicas));
  });
}

TEST(Turns, ReplicasLeftOutStayWhereAPausedDeploymentLosesItsOnlySetAfterwards) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(fmt::format(kNoReplicas, 0, 9));
    stage.settle();
    stage.edit(kPause);
    stage.settle();

    orphan_the_only_set(stage);
    stage.edit(kResume);
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(3));
  });
}

// --- a set that others hold ---

// Rolled to v1.34.0, and the set of v1.33.0 is on its way out, held by a finalizer of another controller.
void beside_a_held_set(const Story& story) {
  at_rest([&](MachineDeploymentFixture& stage) {
    stage.edit<api::MachineSet>(stage.sets().front().metadata.name.view(),
                                R"({"metadata":{"finalizers":["example.com/hold"]}})");
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.34.0"}}}})");
    for (int step = 0; step < 8; ++step) {
      stage.settle();
      stage.play_sets();
    }
    stage.settle();
    ASSERT_THAT(stage.sizes(), ElementsAre(0, 3));
    ASSERT_TRUE(stage.sets().front().metadata.deleting());
    story(stage);
  });
}

TEST(Turns, AnOldSetHeldByOthersHoldsUpNoScaling) {
  beside_a_held_set([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"replicas":5}})");
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(0, 5));
  });
}

TEST(Turns, AnOldSetHeldByOthersHoldsUpNoRollout) {
  beside_a_held_set([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.35.0"}}}})");
    for (int step = 0; step < 8; ++step) {
      stage.settle();
      stage.play_sets();
    }
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(0, 3));
    EXPECT_EQ(stage.sets().back().spec.machine_template.spec.version, "v1.35.0");
  });
}

TEST(Turns, AnOldSetHeldByOthersIsNotTakenUpAgain) {
  beside_a_held_set([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.33.0"}}}})");
    for (int step = 0; step < 8; ++step) {
      stage.settle();
      stage.play_sets();
    }
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(0, 3));
    EXPECT_EQ(stage.sets().back().spec.machine_template.spec.version, "v1.33.0");
    EXPECT_FALSE(stage.sets().back().metadata.deleting());
  });
}

TEST(Turns, ADeletionSaysWhichFinalizerItsLastSetWaitsFor) {
  beside_a_held_set([](MachineDeploymentFixture& stage) {
    must(stage.user.remove(kube::resource_of<api::MachineDeployment>(), stage.key(), {}, Deadline::never()));
    stage.settle();
    EXPECT_FALSE(stage.is_gone());
    EXPECT_EQ(stage.says("Deleting"),
              fmt::format("True Deleting: Deleting 1 MachineSet\n* MachineSet {} waits for "
                          "its finalizer example.com/hold",
                          stage.sets().front().metadata.name.view()));

    stage.edit<api::MachineSet>(stage.sets().front().metadata.name.view(),
                                R"({"metadata":{"finalizers":null}})");
    stage.settle();
    EXPECT_TRUE(stage.is_gone());
  });
}

TEST(Turns, ASetThatIsWaitedForIsNamedAfterAMinute) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.34.0"}}}})");
    stage.settle();
    stage.play_sets();
    stage.settle(30s);  // the old set is told to have 2, and its controller is silent
    ASSERT_THAT(stage.sizes(), ElementsAre(2, 1));
    EXPECT_THAT(stage.says("ScalingUp"), Not(HasSubstr("waits")));

    stage.settle(1min);
    EXPECT_THAT(stage.says("ScalingUp"),
                HasSubstr(fmt::format("* MachineSet {} has not acted upon its last change yet",
                                      stage.sets().front().metadata.name.view())));
    stage.writes.clear();
    stage.settle(10min);
    EXPECT_THAT(stage.writes, IsEmpty());

    stage.play_sets();
    stage.settle();
    EXPECT_THAT(stage.says("ScalingUp"), Not(HasSubstr("has not acted")));
  });
}

// --- a changed selector ---

constexpr std::string_view kOtherSelector = R"({"spec":{
    "selector":{"matchLabels":{"cluster.x-k8s.io/deployment-name":"md1","tier":"b"}},
    "template":{"metadata":{"labels":{"tier":"b"}}}}})";

// At rest, and its Machines are there.
void with_machines(const Story& story) {
  at_rest([&](MachineDeploymentFixture& stage) {
    for (const auto* name : {"a", "b", "c"}) stage.make(a_machine_of(stage.sets().front(), name));
    stage.settle();
    stage.writes.clear();
    story(stage);
  });
}

void confirm_release(MachineDeploymentFixture& stage, std::int64_t generation) {
  stage.edit(
      fmt::format(R"({{"metadata":{{"annotations":{{"capstan.dev/confirm-release":"{}"}}}}}})", generation));
  stage.settle();
}

TEST(Turns, AChangedSelectorReleasesNothingBeforeItIsConfirmed) {
  with_machines([](MachineDeploymentFixture& stage) {
    const auto before = stage.sets().front();

    stage.edit(kOtherSelector);
    stage.edit(R"({"spec":{"replicas":5}})");
    stage.settle();
    confirm_release(stage, 2);  // not this generation

    ASSERT_THAT(stage.sizes(), ElementsAre(3));
    EXPECT_EQ(stage.sets().front().spec, before.spec);
    EXPECT_THAT(stage.says("ScalingUp"),
                AllOf(HasSubstr("(a, b, c)"), HasSubstr("annotation capstan.dev/confirm-release: \"3\"")));
    EXPECT_THAT(stage.events.events,
                Contains(HasSubstr("Warning RolloutBlocked: spec.selector does not match 3 Machines ")));
  });
}

TEST(Turns, AConfirmedReleaseLeavesTheMachineSetToTheCluster) {
  with_machines([](MachineDeploymentFixture& stage) {
    const auto before = stage.sets().front();
    stage.edit(kOtherSelector);
    stage.settle();

    confirm_release(stage, 2);

    ASSERT_THAT(stage.sizes(), ElementsAre(3, 3));
    const auto released = stage.sets().front();
    EXPECT_EQ(released.metadata.labels, before.metadata.labels);
    EXPECT_EQ(released.spec, before.spec);
    ASSERT_THAT(*released.metadata.owner_references, SizeIs(1));
    EXPECT_EQ(released.metadata.owner_references->front().kind, "Cluster");
    EXPECT_FALSE(released.metadata.owner_references->front().is_controller());
    EXPECT_FALSE(stage.sets().back().metadata.annotations.contains("capstan.dev/confirm-release"));
    EXPECT_THAT(
        stage.events.events,
        Contains(fmt::format("Normal SuccessfulRelease: Released MachineSet \"{}\": spec.selector does not "
                             "match it any more; it runs on and goes with Cluster c1",
                             before.metadata.name.view())));
  });
}

TEST(CeilingTurns, AMachineSetThatIsLostIsNotedByItsDeploymentAlone) {
  with_machines([](MachineDeploymentFixture& stage) {
    stage.make(builders::a_policy("care").selecting_everything().overshoot().build());
    const std::string lost = stage.sets().front().metadata.name.str();
    const auto noted = [](const api::ObjectMeta& object) {
      return std::string(object.annotations.value_or_empty(api::policy::annotation::kReleased));
    };
    stage.edit(kOtherSelector);
    stage.settle();
    EXPECT_EQ(noted(stage.deployment().metadata), "") << "it is not lost before a person confirms that";

    confirm_release(stage, 2);

    EXPECT_THAT(noted(stage.deployment().metadata),
                testing::AllOf(testing::StartsWith("1 since "), testing::EndsWith(": " + lost)));
    EXPECT_EQ(noted(stage.sets().back().metadata), "");
  });
}

TEST(Turns, AReleasedMachineSetThatMatchesAgainIsAdoptedAgain) {
  with_machines([](MachineDeploymentFixture& stage) {
    stage.edit(kOtherSelector);
    stage.settle();
    confirm_release(stage, 2);
    ASSERT_THAT(stage.sizes(), ElementsAre(3, 3));

    stage.edit<api::MachineSet>(stage.sets().front().metadata.name.view(),
                                R"({"metadata":{"labels":{"tier":"b"}}})");
    stage.settle();

    EXPECT_TRUE(runtime::is_controlled_by(stage.sets().front().metadata, stage.deployment().metadata.uid));
  });
}

TEST(Turns, AChangedSelectorThatItsMachinesMatchIsFollowedAtOnce) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"template":{"metadata":{"labels":{"tier":"b"}}}}})");
    stage.settle();
    for (const auto* name : {"a", "b"}) stage.make(a_machine_of(stage.sets().front(), name));

    stage.edit(kOtherSelector);
    stage.settle();

    ASSERT_THAT(stage.sizes(), ElementsAre(3));
    EXPECT_EQ(stage.sets().front().spec.selector.match_labels.value_or_empty("tier"), "b");
  });
}

// The sets have the label already, but their controller has not brought it to the Machines yet.
TEST(Turns, AChangedSelectorWaitsForMachinesThatDoNotMatchItYet) {
  with_machines([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"template":{"metadata":{"labels":{"tier":"b"}}}}})");
    stage.settle();

    stage.edit(kOtherSelector);
    stage.settle();
    EXPECT_FALSE(stage.sets().front().spec.selector.match_labels.contains("tier"));
    EXPECT_THAT(stage.says("ScalingUp"), HasSubstr("(a, b, c)"));

    for (const auto* name : {"a", "b", "c"})
      stage.edit<api::Machine>(name, R"({"metadata":{"labels":{"tier":"b"}}})");
    stage.settle(1min);
    EXPECT_EQ(stage.sets().front().spec.selector.match_labels.value_or_empty("tier"), "b");
  });
}

// --- whose Cluster ---

TEST(Turns, AChangedClusterNameMakesNothingForTheOtherCluster) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.make(a_cluster("c2").without_control_plane_ref().build());

    stage.edit(R"({"spec":{"clusterName":"c2","replicas":5,"template":{"spec":{"clusterName":"c2"}}}})");
    stage.settle();

    ASSERT_THAT(stage.sizes(), ElementsAre(3));
    EXPECT_EQ(stage.sets().front().spec.cluster_name, "c1");
    EXPECT_EQ(stage.sets().front().spec.selector.match_labels.value_or_empty(api::label::kClusterName), "c1");
    EXPECT_THAT(*stage.deployment().metadata.owner_references, SizeIs(1));
    EXPECT_EQ(stage.deployment().metadata.labels.value_or_empty(api::label::kClusterName), "c1");
    EXPECT_THAT(stage.says("ScalingUp"), HasSubstr("spec.clusterName is c2, but this belongs to Cluster c1"));
    EXPECT_THAT(stage.events.events,
                ElementsAre(HasSubstr("Warning RolloutBlocked: spec.clusterName is c2, ")));

    stage.edit(R"({"spec":{"clusterName":"c1","template":{"spec":{"clusterName":"c1"}}}})");
    stage.settle();
    EXPECT_THAT(stage.sizes(), ElementsAre(5));
  });
}

// --- clocks that differ ---

TEST(Turns, RolloutAfterMakesOneSetHoweverFarTheServersClockIsBehind) {
  const auto story = [](MachineDeploymentFixture& stage) {
    const Time moment = Time::from(stage.baton.now()) + Seconds(3600);
    stage.edit(R"({"spec":{"rollout":{"after":")" + moment.to_string() + R"("}}})");

    stage.settle(61min);

    EXPECT_THAT(stage.sizes(), ElementsAre(3, 1));
  };
  at_rest(story, Seconds(3600));
}

}  // namespace
}  // namespace capstan::controllers::machinedeployment
