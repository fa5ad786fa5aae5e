// Whole turns of the MachineDeployment controller on its stage (turn_fixture.h).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/status_error.h"
#include "controllers/machinedeployment/observe.h"
#include "controllers/machinedeployment/turn_fixture.h"

namespace capstan::controllers::machinedeployment {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// --- creation ---

TEST(Turns, ANewDeploymentCostsFiveWrites) {
  in_simulation([](MachineDeploymentFixture& stage) {
    stage.make_fleet(a_machine_deployment().replicas(3).version("v1.33.0"));

    stage.start();

    // Finalizer, label, Cluster as owner and revision; the Cluster owns both templates; the set; the status.
    EXPECT_THAT(stage.writes,
                ElementsAre("patch MachineDeployment", "patch DockerMachineTemplate",
                            "patch KubeadmConfigTemplate", "patch MachineSet", "patch MachineDeployment"));
    EXPECT_THAT(stage.sizes(), ElementsAre(3));
  });
}

TEST(Turns, AFirstSetHasEverythingItsMachinesAreFoundBy) {
  in_simulation([](MachineDeploymentFixture& stage) {
    stage.make_fleet(a_machine_deployment()
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
                ElementsAre(HasSubstr("Normal SuccessfulCreate: Created MachineSet default/md1-")));
  });
}

TEST(Turns, TheDeploymentSaysWhoseItIsAndWhatItSelects) {
  at_rest([](MachineDeploymentFixture& stage) {
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
  at_rest([](MachineDeploymentFixture& stage) {
    stage.queue().add(stage.key());
    stage.settle(10min);

    EXPECT_THAT(stage.writes, IsEmpty());
  });
}

TEST(Turns, ALostReplyMakesNoSecondSet) {
  in_simulation([](MachineDeploymentFixture& stage) {
    stage.make_fleet(a_machine_deployment().replicas(3));
    bool lost = false;
    stage.choose = [&](const FaultPoint& at) {
      if (at.kind != "MachineSet" || at.call != fakes::Call::Patch || lost) return fakes::Fault::None;
      lost = true;
      return fakes::Fault::LostReply;
    };

    stage.start();
    stage.settle(3min);

    EXPECT_TRUE(lost);
    EXPECT_THAT(stage.sets(), SizeIs(1));
  });
}

TEST(Turns, AStrangersNameIsLeftToIt) {
  in_simulation([](MachineDeploymentFixture& stage) {
    stage.make_fleet(a_machine_deployment().replicas(3));
    for (const auto* name : {"md1-xxxxc", "md1-xxxxd", "md1-xxxxf"}) stage.make(a_machine_set(name).build());

    stage.start();

    std::vector<std::string> ours;
    for (const auto& set : stage.sets()) {
      if (set.metadata.controller() != nullptr) ours.push_back(set.metadata.name.str());
    }
    EXPECT_THAT(ours, ElementsAre(testing::MatchesRegex("md1-xxxx[g-m]")));
    EXPECT_THAT(stage.sets(), SizeIs(4));
    EXPECT_THAT(stage.events.events,
                Contains(HasSubstr("Warning FailedCreate: Failed to create MachineSet: ")));
  });
}

// An apply under the name of an older set of its own would change that one and lose its Machines.
TEST(Turns, ANewSetNeverGetsTheNameOfAnOlderOne) {
  at_rest([](MachineDeploymentFixture& stage) {
    const std::string old = stage.sets().front().metadata.name.str();
    stage.generated_names.first = {old.substr(old.size() - kNameSuffixLength)};

    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.35.0"}}}})");
    stage.settle(1s);

    ASSERT_THAT(stage.sets(), SizeIs(2));
    for (const auto& set : stage.sets()) {
      EXPECT_EQ(set.spec.machine_template.spec.version == "v1.35.0", set.metadata.name != old);
    }
  });
}

TEST(Turns, ADeploymentThatNoWebhookSawGetsItsDefaultsAllTheSame) {
  in_simulation([](MachineDeploymentFixture& stage) {
    stage.make_fleet(a_machine_deployment().with([](auto& deployment) {
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
  at_rest([](MachineDeploymentFixture& stage) {
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
  at_rest([](MachineDeploymentFixture& stage) {
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
                Contains(HasSubstr("Normal SuccessfulDelete: Deleted MachineSet \"md1-")));
    EXPECT_THAT(stage.events.events,
                Contains(HasSubstr("Normal SuccessfulScale: Scaled down MachineSet md1-")));
  });
}

TEST(Turns, AnOldSetWithAMachineIsNeverRemoved) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.34.0"}}}})");
    stage.settle();
    const auto old = stage.sets().front();
    // Its status denies the Machine, its owner reference does not.
    api::Machine machine = builders::a_machine("late");
    api::OwnerReference owner = builders::controller_of("MachineSet", old.metadata.name.view());
    owner.uid = old.metadata.uid;
    machine.metadata.owner_references = api::OwnerReferences({owner});
    stage.make(machine);
    for (int step = 0; step < 8; ++step) {
      stage.settle();
      stage.play_sets();
    }
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(0, 3));
  });
}

TEST(Turns, BackToAnEarlierTemplateTakesUpItsSet) {
  at_rest([](MachineDeploymentFixture& stage) {
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
  at_rest([](MachineDeploymentFixture& stage) {
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
  const auto story = [](MachineDeploymentFixture& stage) {
    const Time moment = Time::from(stage.baton.now()) + Seconds(3600);
    stage.edit(R"({"spec":{"rollout":{"after":")" + moment.to_string() + R"("}}})");

    stage.settle(61min);

    EXPECT_THAT(stage.sizes(), ElementsAre(3, 1));
  };
  at_rest(story, Seconds(3));
}

// --- scaling and changes in place ---

TEST(Turns, ScalingCostsOneApply) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"replicas":5}})");
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(5));
    EXPECT_THAT(stage.writes, ElementsAre("patch MachineSet", "patch MachineDeployment"));
    EXPECT_THAT(stage.events.events,
                ElementsAre(HasSubstr("Normal SuccessfulScale: Scaled up MachineSet md1-")));
    EXPECT_EQ(stage.says("ScalingUp"), "True ScalingUp: Scaling up from 3 to 5 replicas");
  });
}

TEST(Turns, LabelsComeAndGoInPlace) {
  at_rest([](MachineDeploymentFixture& stage) {
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

TEST(Turns, ASetWhoseManagedFieldsWereResetIsScaledAndLosesItsLabels) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"template":{"metadata":{"labels":{"team":"blue"}}}}})");
    stage.settle();
    stage.edit<api::MachineSet>(stage.sets().front().metadata.name.view(),
                                R"({"metadata":{"managedFields":[{}]}})");
    stage.settle();

    stage.edit(R"({"spec":{"replicas":5,"template":{"metadata":{"labels":{"team":null}}}}})");
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(5));
    EXPECT_FALSE(stage.sets().front().metadata.labels.contains("team"));
  });
}

TEST(Turns, ASetWhoseReplicasWereTakenOutKeepsAsManyAsItHas) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"rollout":{"strategy":{"type":"RollingUpdate",
                   "rollingUpdate":{"maxSurge":0,"maxUnavailable":1}}}}})");
    stage.settle();

    stage.edit<api::MachineSet>(stage.sets().front().metadata.name.view(), R"({"spec":{"replicas":null}})");
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(3));
    EXPECT_THAT(stage.events.events, Not(Contains(HasSubstr("Scaled down"))));
  });
}

TEST(Turns, AUsersEditOfASetIsUndone) {
  at_rest([](MachineDeploymentFixture& stage) {
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
  in_simulation([](MachineDeploymentFixture& stage) {
    stage.make_fleet(a_machine_deployment().paused());

    stage.start();

    EXPECT_THAT(stage.writes, ElementsAre("patch MachineDeployment", "patch MachineDeployment"));
    EXPECT_EQ(stage.says("Paused"),
              "True Paused: MachineDeployment has the cluster.x-k8s.io/paused annotation");
    EXPECT_THAT(stage.sets(), IsEmpty());
  });
}

TEST(Turns, AClusterThatGoesOnWakesItsDeployments) {
  in_simulation([](MachineDeploymentFixture& stage) {
    stage.make(a_cluster().without_control_plane_ref().held().build());
    stage.make_templates();
    stage.make(a_machine_deployment().build());
    stage.start();
    EXPECT_THAT(stage.sets(), IsEmpty());

    stage.edit<api::Cluster>("c1", R"({"spec":{"paused":false}})");
    stage.settle();

    EXPECT_THAT(stage.sets(), SizeIs(1));
    EXPECT_EQ(stage.says("Paused"), "False NotPaused: ");
  });
}

TEST(Turns, APausedRolloutKeepsItsRevision) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"paused":true,"template":{"spec":{"version":"v1.34.0"}}}})");
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(3));
    EXPECT_EQ(stage.deployment().metadata.annotations.value_or_empty(annotation::kRevision), "1");
  });
}

TEST(Turns, ScalingWhilePausedCostsOneApply) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"paused":true}})");
    stage.settle();
    stage.writes.clear();

    stage.edit(R"({"spec":{"replicas":4}})");
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(4));
    EXPECT_THAT(stage.writes, ElementsAre("patch MachineSet", "patch MachineDeployment"));
    EXPECT_THAT(stage.events.events,
                Contains(HasSubstr("Normal SuccessfulScale: Scaled MachineSet default/md1-")));
  });
}

// --- what a user sees ---

// Who waits for a rollout (kubectl rollout status) believes the counters as soon as the generation is new.
TEST(Turns, ANewGenerationIsNeverShownWithTheCountersOfTheLast) {
  at_rest([](MachineDeploymentFixture& stage) {
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
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit<api::Cluster>("c1", R"({"metadata":{"finalizers":["cluster.cluster.x-k8s.io"]}})");
    must(stage.user.remove(kube::resource_of<api::Cluster>(), stage.key("c1"), {}, Deadline::never()));
    stage.settle();

    EXPECT_EQ(stage.says("ScalingUp"),
              "False NotScalingUp: Scaling up would be blocked because Cluster c1 is being deleted");
    EXPECT_THAT(stage.events.events, IsEmpty());
  });
}

TEST(Turns, AClusterThatIsDeletedWhileMachinesAreMissingIsTold) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit<api::Cluster>("c1", R"({"metadata":{"finalizers":["cluster.cluster.x-k8s.io"]}})");
    must(stage.user.remove(kube::resource_of<api::Cluster>(), stage.key("c1"), {}, Deadline::never()));
    stage.edit(R"({"spec":{"replicas":5}})");
    stage.settle();

    EXPECT_THAT(stage.says("ScalingUp"), HasSubstr("is blocked because Cluster c1 is being deleted"));
    EXPECT_THAT(stage.events.events, Contains(HasSubstr("Warning RolloutBlocked: spec.clusterName: ")));
  });
}

// --- bad input ---

TEST(Turns, AMissingTemplateIsToldAndWaitedFor) {
  in_simulation([](MachineDeploymentFixture& stage) {
    stage.make(a_cluster().without_control_plane_ref().build());
    stage.make_template(kConfigTemplates, "md1");
    stage.make(a_machine_deployment().replicas(3).build());
    stage.start();

    EXPECT_EQ(stage.says("ScalingUp"),
              "True ScalingUp: Scaling up from 0 to 3 replicas is blocked because DockerMachineTemplate does "
              "not exist");
    EXPECT_THAT(stage.events.events,
                ElementsAre("Warning RolloutBlocked: spec.template.spec.infrastructureRef: "
                            "DockerMachineTemplate md1 does not exist; create it or change the reference"));
    EXPECT_EQ(stage.deployment().status.observed_generation, 0);

    stage.make_template(kInfraTemplates, "md1");
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(3));
  });
}

TEST(Turns, ASelectorThatMissesItsTemplateMakesNothing) {
  in_simulation([](MachineDeploymentFixture& stage) {
    stage.make_fleet(a_machine_deployment().with(
        [](auto& deployment) { deployment.spec.selector.match_labels.set("team", "red"); }));
    stage.start();

    EXPECT_THAT(stage.sets(), IsEmpty());
    EXPECT_THAT(stage.says("ScalingUp"),
                HasSubstr("is blocked because spec.selector does not match spec.template.metadata.labels"));
    EXPECT_THAT(stage.events.events,
                ElementsAre(HasSubstr("Warning RolloutBlocked: spec.template.metadata.labels: "
                                      "spec.selector wants ")));

    stage.edit(R"({"spec":{"template":{"metadata":{"labels":{"team":"red"}}}}})");
    stage.settle();

    EXPECT_THAT(stage.sets(), SizeIs(1));
  });
}

TEST(Turns, AMissingClusterIsToldAndWaitedFor) {
  in_simulation([](MachineDeploymentFixture& stage) {
    stage.make_templates();
    stage.make(a_machine_deployment().build());
    stage.start();
    EXPECT_THAT(stage.sets(), IsEmpty());
    EXPECT_THAT(stage.says("ScalingUp"), HasSubstr("is blocked because Cluster c1 does not exist"));

    stage.make(a_cluster().without_control_plane_ref().build());
    stage.settle();

    EXPECT_THAT(stage.sets(), SizeIs(1));
  });
}

// It has no controller, and md1 selects it: two replicas of its template.
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
  in_simulation([](MachineDeploymentFixture& stage) {
    stage.make_fleet(a_machine_deployment().version("v1.33.0"));
    stage.make(a_stray());
    stage.start();

    ASSERT_THAT(stage.sets(), SizeIs(1));
    const auto set = stage.sets().front();
    EXPECT_EQ(set.metadata.name, "stray");
    ASSERT_NE(set.metadata.controller(), nullptr);
    EXPECT_EQ(set.metadata.controller()->name, "md1");
    EXPECT_EQ(set.spec.selector.match_labels.value_or_empty(api::label::kMachineTemplateHash), "1-aaaaa");
    EXPECT_THAT(stage.events.events, Contains("Normal SuccessfulAdopt: Adopted MachineSet \"stray\""));
  });
}

TEST(Turns, AnAdoptedSetWithoutAHashIsToldWithItsRemedy) {
  in_simulation([](MachineDeploymentFixture& stage) {
    stage.make_fleet(a_machine_deployment());
    stage.make(a_machine_set("stray").labelled(api::label::kDeploymentName, "md1").build());
    stage.start();

    EXPECT_THAT(stage.says("ScalingUp"), HasSubstr("MachineSet stray has no label machine-template-hash"));
    EXPECT_THAT(stage.events.events,
                Contains(HasSubstr("Warning RolloutBlocked: MachineSet stray has no label")));
  });
}

// --- a MachineSet that may not be adopted ---

const auto kDenied = apiserver::status_error(403, "Forbidden", "policy: hands off stray");
const auto kOutOfOrder = apiserver::status_error(500, "InternalError", "failed calling webhook at :43117");

// The server gives that answer to a write that adopts it.
void put_stray(MachineDeploymentFixture& stage, const apiserver::Response& answer) {
  stage.gatekeeper.answer = answer;
  stage.make(a_stray());
  stage.settle();
}

TEST(Turns, ADeploymentScalesAndRollsBesideASetItMayNotAdopt) {
  at_rest([](MachineDeploymentFixture& stage) {
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
  at_rest([](MachineDeploymentFixture& stage) {
    put_stray(stage, kDenied);

    EXPECT_EQ(stage.says("ScalingUp"),
              "False NotScalingUp: * MachineSet stray could not be adopted: patch MachineSet default/stray: "
              "policy: "
              "hands off stray");
    EXPECT_THAT(stage.events.events,
                Contains("Warning FailedAdopt: Failed to adopt MachineSet \"stray\": patch MachineSet "
                         "default/stray: policy: hands off stray"));
    EXPECT_THAT(stage.writes_since_then(), ElementsAre("patch MachineDeployment"));

    stage.settle(10min);
    EXPECT_THAT(stage.writes_since_then(), IsEmpty());

    stage.gatekeeper.answer = {};
    stage.settle(2min);
    stage.play_sets();
    stage.settle();
    EXPECT_EQ(stage.says("ScalingUp"), "False NotScalingUp: ");
    EXPECT_THAT(stage.events.events, Contains("Normal SuccessfulAdopt: Adopted MachineSet \"stray\""));
  });
}

TEST(Turns, ARefusedAdoptionIsNotTriedWithEveryTurn) {
  at_rest([](MachineDeploymentFixture& stage) {
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
  at_rest([](MachineDeploymentFixture& stage) {
    put_stray(stage, kDenied);
    api::MachineSet other = a_stray();
    other.metadata.name = "willing"_text;
    stage.make(other);
    stage.settle();

    EXPECT_THAT(stage.events.events, Contains("Normal SuccessfulAdopt: Adopted MachineSet \"willing\""));
    EXPECT_THAT(stage.says("ScalingUp"), HasSubstr("* MachineSet stray could not be adopted: "));
    EXPECT_THAT(stage.sizes(), ElementsAre(3, 2, 0));  // not needed beside the three there are
  });
}

// A deployment that was deleted with --cascade=orphan and put again: all its Machines are the set's.
TEST(Turns, ANewDeploymentMakesNothingBesideASetItMayNotAdopt) {
  in_simulation([](MachineDeploymentFixture& stage) {
    stage.gatekeeper.answer = kDenied;
    stage.make_fleet(a_machine_deployment().replicas(2).version("v1.33.0"));
    stage.make(a_stray());
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

// The write may have taken place, and the next try may go well: no Machine is made or deleted for that.
TEST(Turns, AnAdoptionThatNobodyAnsweredIsWaitedFor) {
  at_rest([](MachineDeploymentFixture& stage) {
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
  at_rest([](MachineDeploymentFixture& stage) {
    put_stray(stage, kDenied);

    must(stage.user.remove(kube::resource_of<api::MachineDeployment>(), stage.key(), {}, Deadline::never()));
    stage.settle();

    EXPECT_TRUE(stage.is_gone());
    EXPECT_THAT(stage.sizes(), ElementsAre(2));
  });
}

TEST(Observe, SeesMachinesOfItsSetsOnly) {
  at_rest([](MachineDeploymentFixture& stage) {
    const auto mine = [&](std::string_view name, std::string_view of_deployment) {
      api::Machine machine = builders::a_machine(name).labelled(api::label::kDeploymentName, of_deployment);
      api::OwnerReference owner = builders::controller_of("MachineSet", "other");
      if (name != "foreign") owner.uid = stage.sets().front().metadata.uid;
      machine.metadata.owner_references = api::OwnerReferences({owner});
      return machine;
    };
    stage.make(mine("own", "md1"));
    stage.make(mine("relabelled", "md2"));
    stage.make(mine("foreign", "md1"));
    stage.settle();

    Memory memory(stage.deps());
    const auto seen =
        observe({.deps = stage.deps(), .host = stage.host(), .context = {}}, memory, stage.key());

    ASSERT_TRUE(seen && *seen);
    ASSERT_THAT((*seen)->machines, SizeIs(1));
    EXPECT_EQ((*seen)->machines.front()->metadata.name, "own");
    EXPECT_THAT((*seen)->owned, SizeIs(2));
  });
}

// --- deletion ---

TEST(Turns, DeletionWaitsForItsSets) {
  at_rest([](MachineDeploymentFixture& stage) {
    const auto name = stage.sets().front().metadata.name;
    stage.edit<api::MachineSet>(name.view(),
                                R"({"metadata":{"finalizers":["cluster.x-k8s.io/machineset"]}})");
    stage.settle();
    must(stage.user.remove(kube::resource_of<api::MachineDeployment>(), stage.key(), {}, Deadline::never()));
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
  at_rest([](MachineDeploymentFixture& stage) {
    must(stage.user.remove(kube::resource_of<api::Cluster>(), {std::string(kNamespace), "c1"}, {},
                           Deadline::never()));
    stage.settle();
    if (!stage.is_gone()) {
      must(
          stage.user.remove(kube::resource_of<api::MachineDeployment>(), stage.key(), {}, Deadline::never()));
    }
    stage.settle();

    EXPECT_TRUE(stage.is_gone());
    EXPECT_THAT(stage.sets(), IsEmpty());
  });
}

// --- moves in place that another core began ---

TEST(Turns, MachinesMovedByAnotherCoreAreCountedOnce) {
  at_rest([](MachineDeploymentFixture& stage) {
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
    stage.make(machine);
    stage.queue().add(stage.key());
    stage.settle();

    const auto after = stage.sets().front().metadata.annotations;
    EXPECT_EQ(after.value_or_empty(annotation::kAcknowledgedMove), "moved");
    EXPECT_EQ(after.value_or_empty(annotation::kReceiveMachinesFrom), "old");
    EXPECT_THAT(stage.sizes(), ElementsAre(4));
  });
}

}  // namespace
}  // namespace capstan::controllers::machinedeployment
