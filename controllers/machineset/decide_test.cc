#include "controllers/machineset/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/policy/names.h"
#include "controllers/machineset/seen_fixture.h"
#include "kube/typed.h"
#include "runtime/ownership.h"
#include "test/builders/machine_deployment.h"

namespace capstan::controllers::machineset {
namespace {

using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::MachineBuilder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

MachineBuilder well(std::string_view name) { return a_machine(name).in_set("ms1").running(); }

std::int32_t created(const Plan& plan) {
  std::int32_t count = 0;
  for (const Action& action : plan.actions) {
    if (const auto* creation = std::get_if<CreateMachines>(&action)) count += creation->count;
  }
  return count;
}

std::vector<std::string> deleted(const Plan& plan) {
  std::vector<std::string> names;
  for (const Action& action : plan.actions) {
    if (const auto* removal = std::get_if<DeleteMachine>(&action)) {
      names.push_back(removal->machine->metadata.name.str());
    }
  }
  return names;
}

template <typename Kind>
std::size_t count_of(const Plan& plan) {
  return static_cast<std::size_t>(std::ranges::count_if(
      plan.actions, [](const Action& action) { return std::holds_alternative<Kind>(action); }));
}

std::string why(const Plan& plan) {
  std::string text;
  for (const Note& note : plan.notes) text += note.text + "\n";
  return text;
}

// --- up ---

TEST(Decide, CreatesWhatIsMissing) {
  EXPECT_EQ(created(a_world(a_machine_set().replicas(5)).with(well("a")).with(well("b")).plan()), 3);
}

TEST(Decide, CreatesAsManyAsTheCeilingAllowsAndThenSaysWhyNoMore) {
  auto world = a_world(a_machine_set().replicas(3));
  world.where(
      [](Observation& seen) { seen.census.ceiling = {.is_on = true, .most = 5, .owned = 0, .released = 3}; });
  EXPECT_EQ(created(world.plan()), 2);

  world.where([](Observation& seen) { seen.census.ceiling.owned = 2; });
  EXPECT_EQ(created(world.plan()), 0);
  EXPECT_THAT(why(world.plan()), HasSubstr("5 Machines are or will be there, 5 may be"));
}

TEST(Decide, DoesNothingWhenTheNumberIsRight) {
  const auto plan = a_world(a_machine_set().replicas(1)).with(well("a")).plan();

  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_THAT(plan.notes, IsEmpty());
}

TEST(Decide, AMachineThatGoesStillHoldsItsPlace) {
  EXPECT_EQ(created(a_world(a_machine_set().replicas(2)).with(well("a")).with(well("b").deleting()).plan()),
            0);
}

TEST(Decide, AMachineThatIsReleasedHoldsItsPlaceUntilItIsNotOursAnyMore) {
  const auto plan = a_world(a_machine_set().replicas(1))
                        .where([](Observation& seen) { seen.strays.push_back(well("stray").shared()); })
                        .plan();

  EXPECT_EQ(count_of<ReleaseMachine>(plan), 1U);
  EXPECT_EQ(created(plan), 0);
}

// Else they would count no more, and be made anew.
TEST(Decide, AMachineThatTheRecordOfReleasedOnesHasNoRoomForIsNotReleased) {
  const auto plan = a_world(a_machine_set().replicas(3))
                        .where([](Observation& seen) {
                          seen.census.ceiling = {.is_on = true, .most = 5, .owned = 2, .released = 999};
                          for (int at = 1; at < 1000; ++at)
                            seen.census.released.add("gone-" + std::to_string(at), builders::noon());
                          seen.strays = {well("stray-1").shared(), well("stray-2").shared()};
                        })
                        .plan();

  EXPECT_EQ(count_of<ReleaseMachine>(plan), 1U);
  EXPECT_EQ(created(plan), 0);
}

TEST(Decide, AMachineAboutToBeAdoptedCounts) {
  const auto plan =
      a_world(a_machine_set().replicas(1))
          .where([](Observation& seen) { seen.orphans.push_back(a_machine("orphan").shared()); })
          .plan();

  EXPECT_EQ(count_of<AdoptMachine>(plan), 1U);
  EXPECT_EQ(created(plan), 0);
}

TEST(Decide, CreatesNothingOnAStaleCacheAndSaysSo) {
  const auto plan = a_world(a_machine_set().replicas(1))
                        .where([](Observation& seen) {
                          seen.fresh = false;
                          seen.stale = "waiting for Machine default/a";
                        })
                        .plan();

  EXPECT_EQ(created(plan), 0);
  EXPECT_THAT(why(plan), HasSubstr("waiting for Machine default/a"));
}

TEST(Decide, ThatCreationIsDisabledCountsOnlyWhenItSaysTrue) {
  const auto with_value = [](std::string_view value) {
    return created(
        a_world(a_machine_set().replicas(1).annotated("cluster.x-k8s.io/disable-machine-create", value))
            .plan());
  };

  EXPECT_EQ(with_value("true"), 0);
  EXPECT_EQ(with_value("false"), 1);
  EXPECT_EQ(with_value(""), 1);
}

TEST(Decide, AShutBrakeHoldsCreationWithItsReason) {
  const auto plan =
      a_world(a_machine_set().replicas(1))
          .where([](Observation& seen) { seen.may_create = {.open = false, .why = "frozen since noon"}; })
          .plan();

  EXPECT_EQ(created(plan), 0);
  EXPECT_THAT(why(plan), HasSubstr("frozen since noon"));
}

TEST(Decide, APreflightFailureHoldsCreationForFifteenSeconds) {
  const auto plan = a_world(a_machine_set().replicas(1))
                        .where([](Observation& seen) {
                          seen.control_plane = {.referenced = true,
                                                .described = "KubeadmControlPlane default/cp",
                                                .version = "v1.30.0",
                                                .provisioning = true};
                        })
                        .plan();

  EXPECT_EQ(created(plan), 0);
  EXPECT_TRUE(plan.preflight_failed);
  EXPECT_EQ(plan.recheck, Seconds(15));
}

TEST(Decide, AMissingTemplateHoldsCreation) {
  const auto plan =
      a_world(a_machine_set().replicas(1))
          .where([](Observation& seen) { seen.infrastructure.state = TemplateSeen::State::Missing; })
          .plan();

  EXPECT_EQ(created(plan), 0);
  EXPECT_TRUE(plan.recheck);
}

TEST(Decide, ATemplateKindThatIsOnlyNotListedYetIsNoTrouble) {
  const auto plan =
      a_world(a_machine_set().replicas(1))
          .where([](Observation& seen) { seen.infrastructure.state = TemplateSeen::State::Unlisted; })
          .plan();

  EXPECT_EQ(created(plan), 0);
  EXPECT_THAT(plan.notes, IsEmpty());
  EXPECT_EQ(plan.recheck, Seconds(1));
}

TEST(Decide, AControlPlaneKindThatIsOnlyNotListedYetIsNoTrouble) {
  const auto plan =
      a_world(a_machine_set().replicas(1))
          .where([](Observation& seen) {
            seen.control_plane = {.referenced = true,
                                  .problem = "the cache of KubeadmControlPlane is not complete yet",
                                  .listed_soon = true};
          })
          .plan();

  EXPECT_EQ(created(plan), 0);
  EXPECT_THAT(plan.notes, IsEmpty());
  EXPECT_EQ(plan.recheck, Seconds(1));
}

TEST(Decide, ATemplateKindThatCantBeReadIsNamedByItsField) {
  const auto plan = a_world(a_machine_set().replicas(1))
                        .where([](Observation& seen) {
                          seen.bootstrap.state = TemplateSeen::State::Unknown;
                          seen.bootstrap.problem = "CustomResourceDefinition x does not exist";
                        })
                        .plan();

  EXPECT_EQ(created(plan), 0);
  EXPECT_THAT(why(plan), HasSubstr("spec.template.spec.bootstrap.configRef (KubeadmConfigTemplate ms1): "
                                   "CustomResourceDefinition x does not exist"));
}

TEST(Decide, NothingHappensWithoutTheCluster) {
  const auto plan = a_world(a_machine_set().replicas(1))
                        .with(well("a"))
                        .with(well("b"))
                        .where([](Observation& seen) { seen.cluster = nullptr; })
                        .plan();

  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_THAT(why(plan), HasSubstr("Cluster c1 does not exist"));
}

TEST(Decide, NothingIsScaledWithoutTheDeploymentALabelNames) {
  const auto plan = a_world(a_machine_set().replicas(1).in_deployment("md1"))
                        .where([](Observation& seen) { seen.deployment_missing = true; })
                        .plan();

  EXPECT_EQ(created(plan), 0);
  EXPECT_THAT(why(plan), HasSubstr("MachineDeployment md1 of label cluster.x-k8s.io/deployment-name"));
}

// --- down ---

TEST(Decide, DeletesTheSurplusInOrder) {
  const auto plan = a_world(a_machine_set().replicas(1))
                        .with(well("a"))
                        .with(well("b"))
                        .with(well("c").annotated("cluster.x-k8s.io/delete-machine"))
                        .plan();

  EXPECT_THAT(deleted(plan), ElementsAre("c", "a"));
}

TEST(Decide, WhoGoesAlreadyUsesUpTheSurplus) {
  const auto plan =
      a_world(a_machine_set().replicas(1)).with(well("a")).with(well("b")).with(well("c").deleting()).plan();

  EXPECT_THAT(deleted(plan), ElementsAre("a"));
}

TEST(Decide, WhoIsRemediatedUsesUpTheSurplus) {
  const auto plan =
      a_world(a_machine_set().replicas(1)).with(well("a")).with(well("b").awaiting_remediation()).plan();

  EXPECT_THAT(deleted(plan), ElementsAre("b"));
}

TEST(Decide, DeletesNothingOnAStaleCache) {
  const auto plan = a_world(a_machine_set().replicas(0))
                        .with(well("a"))
                        .where([](Observation& seen) { seen.fresh = false; })
                        .plan();

  EXPECT_THAT(deleted(plan), IsEmpty());
}

TEST(Decide, AShutBrakeHoldsScalingDown) {
  const auto plan =
      a_world(a_machine_set().replicas(0))
          .with(well("a"))
          .where([](Observation& seen) { seen.may_scale_down = {.open = false, .why = "frozen"}; })
          .plan();

  EXPECT_THAT(deleted(plan), IsEmpty());
  EXPECT_THAT(plan.notes_about(api::NoteCode::ScaleDownHeldUp), ElementsAre("frozen"));
}

TEST(Decide, MachinesMovedInPlaceAreNeitherCountedNorDeleted) {
  const auto plan =
      a_world(a_machine_set().replicas(1).annotated(api::annotation::kReceiveMachinesFrom, "old"))
          .with(well("a"))
          .with(well("b").annotated(api::annotation::kPendingAcknowledgeMove))
          .plan();

  EXPECT_THAT(deleted(plan), IsEmpty());
}

TEST(Decide, ASetThatHandsItsMachinesOnDeletesNone) {
  const auto plan = a_world(a_machine_set().replicas(0).annotated(api::annotation::kMoveMachinesTo, "new"))
                        .with(well("a"))
                        .plan();

  EXPECT_THAT(deleted(plan), IsEmpty());
}

void in_deployment(Observation& seen) { seen.deployment = a_machine_deployment("md1").shared(); }

// Of two Machines the one that leaves is not among those that may be too many.
TEST(Decide, AMachineThatIsHandedOverIsNoneTooManyAndNeverChosen) {
  const auto handing_over = [](std::int32_t replicas) {
    return a_world(a_machine_set().replicas(replicas).annotated(api::policy::annotation::kHandsOver, "a"))
        .with(well("a"))
        .with(well("b"))
        .where(in_deployment)
        .plan();
  };

  EXPECT_THAT(deleted(handing_over(1)), IsEmpty());
  EXPECT_THAT(deleted(handing_over(0)), ElementsAre("b"));
}

TEST(Decide, AMachineThatIsOnItsWayFromAnotherSetIsNotMade) {
  const auto plan = a_world(a_machine_set().replicas(2).annotated(api::policy::annotation::kTakesOver, "b"))
                        .with(well("a"))
                        .where(in_deployment)
                        .plan();
  EXPECT_THAT(plan.actions, IsEmpty());

  const auto arrived =
      a_world(a_machine_set().replicas(3).annotated(api::policy::annotation::kTakesOver, "b"))
          .with(well("a"))
          .with(well("b"))
          .where(in_deployment)
          .plan();
  EXPECT_EQ(arrived.actions.size(), 1U);
}

TEST(Decide, NamesOfMovesMeanNothingOnACopyWithoutADeployment) {
  const auto plan = a_world(a_machine_set()
                                .replicas(2)
                                .annotated(api::policy::annotation::kTakesOver, "b")
                                .annotated(api::policy::annotation::kHandsOver, "a"))
                        .with(well("a"))
                        .plan();
  EXPECT_EQ(plan.actions.size(), 1U) << "b is not on its way, and a stays";
}

TEST(Decide, ASpecInDoubtScalesNothing) {
  for (const std::int32_t replicas : {0, 3}) {
    const auto plan = a_world(a_machine_set().replicas(replicas))
                          .with(well("a"))
                          .where([](Observation& seen) { seen.problem = "spec.selector: odd"; })
                          .plan();

    EXPECT_THAT(plan.actions, IsEmpty());
    EXPECT_THAT(why(plan), HasSubstr("spec.selector: odd"));
  }
}

// --- remediation ---

// A kind that can't be read may stay so for days: a large set must not be worked through every second.
TEST(Decide, AKindThatCantBeReadIsAskedForRarely) {
  const auto recheck = [](bool listed_soon) {
    return a_world(a_machine_set().replicas(1))
        .with(well("a"))
        .where([&](Observation& seen) {
          seen.unsettled.push_back(
              {.machine = seen.machines.front(), .complete = false, .listed_soon = listed_soon});
        })
        .plan()
        .recheck;
  };

  EXPECT_EQ(recheck(true), Seconds(1));
  EXPECT_EQ(recheck(false), Seconds(30));
}

// Seen after a restart: the label went from the Machine, and nothing took it off its objects any more.
TEST(Decide, AMachineKeepsItsLabelsUntilItsObjectsAreListed) {
  const auto updates = [](bool complete, bool listed_soon) {
    const auto plan =
        a_world(a_machine_set().replicas(1))
            .with(well("a"))
            .where([&](Observation& seen) {
              auto machine = *seen.machines.front();
              machine.metadata.managed_fields = api::ManagedFields(
                  {{.manager = Text(api::field_manager::kMachineSet), .operation = "Apply"_text}});
              seen.unsettled.push_back({.machine = std::make_shared<const api::Machine>(machine),
                                        .complete = complete,
                                        .listed_soon = listed_soon});
            })
            .plan();
    return std::ranges::count_if(
        plan.actions, [](const Action& action) { return std::holds_alternative<UpdateMachine>(action); });
  };

  EXPECT_EQ(updates(true, true), 1);
  EXPECT_EQ(updates(false, true), 0);
  EXPECT_EQ(updates(false, false), 1) << "a kind that can't be read holds nothing up";
}

TEST(Decide, RemediatesWhatAHealthCheckHandedOver) {
  const auto plan =
      a_world(a_machine_set().replicas(2)).with(well("a")).with(well("b").awaiting_remediation()).plan();

  EXPECT_THAT(deleted(plan), ElementsAre("b"));
  EXPECT_EQ(created(plan), 0);
}

TEST(Decide, APreflightFailureHoldsRemediation) {
  const auto plan = a_world(a_machine_set().replicas(1))
                        .with(well("a").awaiting_remediation())
                        .where([](Observation& seen) {
                          seen.control_plane = {.referenced = true,
                                                .described = "KubeadmControlPlane default/cp",
                                                .version = "v1.30.0",
                                                .upgrading = true};
                        })
                        .plan();

  EXPECT_THAT(deleted(plan), IsEmpty());
  EXPECT_EQ(count_of<MarkMachine>(plan), 1U);
  EXPECT_EQ(plan.recheck, Seconds(15));
}

TEST(Decide, AShutBrakeHoldsRemediation) {
  const auto plan =
      a_world(a_machine_set().replicas(1))
          .with(well("a").awaiting_remediation())
          .where([](Observation& seen) { seen.may_remediate = {.open = false, .why = "meltdown"}; })
          .plan();

  EXPECT_THAT(deleted(plan), IsEmpty());
  EXPECT_EQ(count_of<MarkMachine>(plan), 1U);
}

// No Machine would be made in its place.
TEST(Decide, ASpecInDoubtRemediatesNobody) {
  const auto plan = a_world(a_machine_set().replicas(1))
                        .with(well("a").awaiting_remediation())
                        .where([](Observation& seen) { seen.problem = "spec.selector: odd"; })
                        .plan();

  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_THAT(plan.notes_about(api::NoteCode::RemediationHeldUp),
              ElementsAre("nobody is remediated: spec.selector: odd"));
}

TEST(Decide, AnOldRevisionIsNotRemediated) {
  const auto plan = a_world(a_machine_set().replicas(1).in_deployment("md1").revision("1"))
                        .with(well("a").awaiting_remediation())
                        .where([](Observation& seen) {
                          seen.deployment =
                              a_machine_deployment("md1").annotated(api::annotation::kRevision, "2").shared();
                        })
                        .plan();

  EXPECT_THAT(deleted(plan), IsEmpty());
  EXPECT_EQ(count_of<MarkMachine>(plan), 1U);
}

// --- templates and clones ---

TEST(Decide, ATemplateWithoutItsClusterGetsItAsOwner) {
  const auto plan = a_world(a_machine_set().replicas(0))
                        .where([](Observation& seen) {
                          auto bare = *seen.infrastructure.object;
                          bare.metadata.owner_references = {};
                          seen.infrastructure.object =
                              std::make_shared<const api::contract::ContractObject>(bare);
                        })
                        .plan();

  EXPECT_EQ(count_of<OwnTemplate>(plan), 1U);
}

Seen with_clone(std::string_view name, Seconds age) {
  return a_world(a_machine_set().replicas(1)).with(well("a")).where([&](Observation& seen) {
    auto object = std::make_shared<api::contract::ContractObject>();
    object->metadata.name = Text(name);
    object->metadata.creation_timestamp = Time::from_unix(seen.now.unix_seconds() - age.count());
    seen.clones.push_back({.resource = {.group = "infrastructure.cluster.x-k8s.io", .kind = "DockerMachine"},
                           .object = std::move(object)});
  });
}

TEST(Decide, ACloneOfNoMachineIsRemovedOnceNobodyCanBeAboutToUseIt) {
  EXPECT_EQ(count_of<RemoveClones>(with_clone("lost", Seconds(90)).plan()), 1U);

  const auto young = with_clone("lost", Seconds(30)).plan();
  EXPECT_EQ(count_of<RemoveClones>(young), 0U);
  EXPECT_EQ(young.recheck, Seconds(60));
}

TEST(Decide, ACloneOfAMachineStays) {
  EXPECT_EQ(count_of<RemoveClones>(with_clone("a", Seconds(900)).plan()), 0U);
}

TEST(Decide, OnAStaleCacheNoCloneIsRemoved) {
  auto world = with_clone("lost", Seconds(900));

  world.where([](Observation& seen) { seen.fresh = false; });

  EXPECT_EQ(count_of<RemoveClones>(world.plan()), 0U);
}

// --- Machines without their objects ---

Seen with_unfinished(const builders::MachineSetBuilder& set = a_machine_set().replicas(1)) {
  return a_world(set).with(well("a")).where([](Observation& seen) {
    seen.unsettled.push_back({.machine = seen.machines.front(), .lacks_infrastructure = true});
  });
}

TEST(Decide, AMachineThatLacksItsObjectsGetsThem) {
  const auto plan = with_unfinished().plan();

  EXPECT_EQ(count_of<FinishMachines>(plan), 1U);
}

// Its objects come before more Machines: what refuses one will refuse the next.
TEST(Decide, AMachineIsFinishedBeforeAnotherIsMade) {
  const auto plan = with_unfinished(a_machine_set().replicas(2)).plan();

  const auto place = [&plan]<typename Kind>(const Kind&) {
    const auto is_one = [](const Action& each) { return std::holds_alternative<Kind>(each); };
    return std::ranges::find_if(plan.actions, is_one) - plan.actions.begin();
  };
  EXPECT_EQ(created(plan), 1);
  EXPECT_LT(place(FinishMachines()), place(CreateMachines()));
}

TEST(Decide, NothingIsFinishedOnAGuessOrAgainstAWish) {
  const auto finishes = [](Seen world, const std::function<void(Observation&)>& change) {
    return count_of<FinishMachines>(world.where(change).plan());
  };
  EXPECT_EQ(finishes(with_unfinished(), [](auto& seen) { seen.fresh = false; }), 0U);
  EXPECT_EQ(finishes(with_unfinished(), [](auto& seen) { seen.may_create.open = false; }), 0U);
  EXPECT_EQ(finishes(with_unfinished(), [](auto& seen) { seen.problem = "spec.selector: odd"; }), 0U);
  EXPECT_EQ(finishes(with_unfinished(),
                     [](auto& seen) { seen.infrastructure.state = TemplateSeen::State::Missing; }),
            0U);
  EXPECT_EQ(finishes(with_unfinished(a_machine_set().replicas(0)), [](auto&) {}), 0U);
  EXPECT_EQ(finishes(with_unfinished(a_machine_set().replicas(1).annotated(
                         api::annotation::kDisableMachineCreate, "true")),
                     [](auto&) {}),
            0U);
}

// Not only that nothing is made: what stands against it is said.
TEST(Decide, WhatKeepsAMachineUnfinishedIsSaid) {
  const auto said = [](const std::function<void(Observation&)>& change) {
    const auto plan = with_unfinished().where(change).plan();
    EXPECT_EQ(plan.recheck, Seconds(15));
    return why(plan);
  };

  EXPECT_EQ(said([](auto& seen) { seen.may_create = {.open = false, .why = "meltdown"}; }), "meltdown\n");
  EXPECT_EQ(said([](auto& seen) { seen.fresh = false, seen.stale = "waits for m1"; }), "waits for m1\n");
  EXPECT_THAT(said([](auto& seen) {
                seen.infrastructure.state = TemplateSeen::State::Unknown;
                seen.infrastructure.problem = "no such kind";
              }),
              testing::HasSubstr("no such kind"));
}

TEST(Decide, AMachineWaitsForTheFirstListOfItsTemplatesNoLongerThanThat) {
  const auto plan =
      with_unfinished()
          .where([](Observation& seen) { seen.infrastructure.state = TemplateSeen::State::Unlisted; })
          .plan();

  EXPECT_EQ(count_of<FinishMachines>(plan), 0U);
  EXPECT_EQ(plan.recheck, Seconds(1));
}

TEST(Decide, WhatIsSaidOfAnUnfinishedMachineAndOfMissingOnesIsSaidOnce) {
  const auto plan =
      with_unfinished(a_machine_set().replicas(2))
          .where([](Observation& seen) { seen.may_create = {.open = false, .why = "meltdown"}; })
          .plan();

  EXPECT_EQ(why(plan), "meltdown\n");
}

// A Machine on its way out may drain for hours.
TEST(Decide, AMachineThatGoesKeepsNobodyFromBeingFinished) {
  const auto plan = with_unfinished()
                        .where([](Observation& seen) {
                          seen.machines.push_back(well("going").deleting().shared());
                          seen.nodes.emplace_back();
                        })
                        .plan();

  EXPECT_EQ(count_of<FinishMachines>(plan), 1U);
}

TEST(Decide, APausedMachineIsNotFinished) {
  const auto plan =
      a_world(a_machine_set().replicas(1))
          .with(well("a").annotated(api::annotation::kPaused, ""))
          .where([](Observation& seen) {
            seen.unsettled.push_back({.machine = seen.machines.front(), .lacks_infrastructure = true});
          })
          .plan();

  EXPECT_EQ(count_of<FinishMachines>(plan), 0U);
}

// --- the end ---

TEST(Decide, ADeletedSetDeletesItsMachinesAndKeepsItsFinalizerMeanwhile) {
  const auto plan =
      a_world(a_machine_set().replicas(2).deleting()).with(well("a")).with(well("b").deleting()).plan();

  EXPECT_THAT(deleted(plan), ElementsAre("a"));
  EXPECT_EQ(count_of<DropFinalizer>(plan), 0U);
}

TEST(Decide, ADeletedSetWithoutMachinesGoes) {
  EXPECT_EQ(count_of<DropFinalizer>(a_world(a_machine_set().replicas(2).deleting()).plan()), 1U);
}

TEST(Decide, ADeletedSetCreatesNothing) {
  EXPECT_EQ(created(a_world(a_machine_set().replicas(2).deleting()).plan()), 0);
}

TEST(Decide, ADeletedSetDoesNotGoOnAStaleCache) {
  const auto plan =
      a_world(a_machine_set().deleting()).where([](Observation& seen) { seen.fresh = false; }).plan();

  EXPECT_THAT(plan.actions, IsEmpty());
}

TEST(Decide, WhileTheGarbageCollectorReleasesMachinesNothingIsDeletedOrAdopted) {
  const auto plan =
      a_world(a_machine_set().replicas(2).finalized_by("orphan").deleting())
          .with(well("a"))
          .where([](Observation& seen) { seen.orphans.push_back(a_machine("b").in_cluster("c1").shared()); })
          .plan();

  EXPECT_THAT(plan.actions, IsEmpty());
}

TEST(Decide, ADeletedSetHandsWhatNothingControlsToTheClusterBeforeItGoes) {
  auto world = a_world(a_machine_set().deleting());
  world.where([](Observation& seen) { seen.orphans.push_back(a_machine("orphan").shared()); });

  const auto plan = world.plan();
  world.where([](Observation& seen) {
    auto handed = *seen.orphans.front();
    handed.metadata.owner_references = runtime::with_owner(
        {}, runtime::owner_reference(kube::resource_of<api::Cluster>(), seen.cluster->metadata));
    seen.orphans = {std::make_shared<const api::Machine>(std::move(handed))};
  });
  const auto next = world.plan();

  EXPECT_EQ(count_of<AdoptMachine>(plan), 0U);
  EXPECT_EQ(count_of<ReleaseMachine>(plan), 1U);
  EXPECT_EQ(count_of<DropFinalizer>(plan), 0U);
  EXPECT_EQ(count_of<ReleaseMachine>(next), 0U);
  EXPECT_EQ(count_of<DropFinalizer>(next), 1U);
}

TEST(Decide, ADeletedSetGoesWithoutClusterAndDeployment) {
  const auto plan = a_world(a_machine_set().in_deployment("md1").deleting())
                        .with(well("a"))
                        .where([](Observation& seen) {
                          seen.cluster = nullptr;
                          seen.deployment_missing = true;
                        })
                        .plan();

  EXPECT_THAT(deleted(plan), ElementsAre("a"));
}

}  // namespace
}  // namespace capstan::controllers::machineset
