#include "controllers/inplace/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/drain/cordon.h"
#include "controllers/inplace/world_fixture.h"
#include "controllers/lifecycle/aliases.h"

namespace capstan::controllers::inplace {
namespace {

namespace annotation = api::policy::annotation;
namespace label = api::policy::label;
using api::policy::annotation::kHandsOver;
using api::policy::annotation::kTakesOver;
using builders::noon;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view kBegin = "new Draining 2026-01-01T12:00:00Z";

std::string updating_for(Seconds span) { return "new Updating " + (noon() + -span).to_string(); }

// Names of the Machines whose update begins.
std::vector<std::string> begun(const Plan& plan) {
  std::vector<std::string> names;
  for (const Action& action : plan.actions) {
    const auto* mark = std::get_if<MarkMachine>(&action);
    if (mark != nullptr && mark->news == api::NoteCode::InPlaceUpdateBegan)
      names.push_back(mark->machine->metadata.name.str());
  }
  return names;
}

InPlaceWorld three_old_ones() {
  InPlaceWorld world;
  for (const auto* name : {"m1", "m2", "m3"})
    world.label(world.add(name, "old"), label::kCandidateForUpdate, "true");
  return world;
}

// --- which ones ---

TEST(Selection, TakesOneWhereOneMayBeUnavailable) {
  auto world = three_old_ones();

  const Plan plan = world.plan();

  EXPECT_THAT(begun(plan), ElementsAre("m1"));
  EXPECT_TRUE(plan.keeps_old);
}

TEST(Selection, TakesNoneWhereNoneMayBeUnavailable) {
  auto world = three_old_ones();
  world.limits.unavailable = 0;

  EXPECT_THAT(begun(world.plan()), IsEmpty());
}

// The surge Machine makes up for it, once it is available.
TEST(Selection, TakesOneWhenTheSurgeIsAvailable) {
  auto world = three_old_ones();
  world.limits = {.desired = 3, .surge = 1, .unavailable = 0};
  world.newest.spec.replicas = 1;
  EXPECT_THAT(begun(world.plan()), IsEmpty());

  world.add("m4", "new");

  EXPECT_THAT(begun(world.plan()), ElementsAre("m1"));
}

TEST(Selection, TakesNoMoreThanThereArePlaces) {
  auto world = three_old_ones();
  world.limits.unavailable = 2;
  EXPECT_THAT(begun(world.plan()), ElementsAre("m1", "m2"));

  world = {};
  world.limits.unavailable = 2;
  world.add("m1", "old", updating_for(Seconds(5)));
  world.add("m2", "old");
  world.add("m3", "old");

  EXPECT_THAT(begun(world.plan()), ElementsAre("m2"));
}

// It costs nothing.
TEST(Selection, TakesAMachineFirstThatDoesNotWork) {
  auto world = three_old_ones();
  api::Machine sick = *world.seen.machines[2].machine;
  sick.status.conditions = {};
  world.seen.machines[2].machine = std::make_shared<const api::Machine>(sick);

  EXPECT_THAT(begun(world.plan()), ElementsAre("m3"));
}

TEST(Selection, LeavesOutWhatIsDeletedPreservedContestedPausedOrWithoutANode) {
  auto world = three_old_ones();
  world.limits = {.desired = 5, .surge = 0, .unavailable = 5};
  world.old.spec.replicas = 5;
  world.add("m4", "old");
  world.add("m5", "old");
  auto& machines = world.seen.machines;
  machines[0].machine = builders::a_machine("m1").in_set("old").running().available().deleting().shared();
  machines[1].contested = true;
  machines[2].node = nullptr;
  machines[3].machine = builders::a_machine("m4")
                            .in_set("old")
                            .running()
                            .available()
                            .annotated(api::policy::annotation::kPreserveUntil, "2026-01-02T12:00:00Z")
                            .shared();
  machines[4].machine = builders::a_machine("m5")
                            .in_set("old")
                            .running()
                            .available()
                            .annotated(api::annotation::kPaused, "")
                            .shared();

  const Plan plan = world.plan();

  EXPECT_THAT(begun(plan), IsEmpty());
  EXPECT_THAT(plan.told, ElementsAre(AllOf(HasSubstr("m2"), HasSubstr("m3"), HasSubstr("m5"))));
}

// What is left goes as in any rollout.
TEST(Selection, KeepsNoOldMachineThatIsPreserved) {
  InPlaceWorld world;
  auto& kept = world.add("m1", "old");
  kept.machine = builders::a_machine("m1")
                     .in_set("old")
                     .running()
                     .annotated(api::policy::annotation::kPreserveUntil, "2026-01-02T12:00:00Z")
                     .shared();

  EXPECT_FALSE(world.plan().keeps_old);
}

TEST(Selection, TakesByHandWhatAUserHasSelected) {
  auto world = three_old_ones();
  world.seen.wanted->mode = Text(api::PolicyInPlace::kManual);
  world.limits = {.desired = 3, .surge = 1, .unavailable = 0};
  EXPECT_THAT(world.plan().told, ElementsAre(HasSubstr("m1, m2, m3")));
  EXPECT_THAT(begun(world.plan()), IsEmpty());

  world.label(world.seen.machines[1], label::kSelectedForUpdate, "true");
  world.label(world.seen.machines[2], label::kSelectedForUpdate, "true");

  EXPECT_THAT(begun(world.plan()), ElementsAre("m2"));
}

TEST(Selection, WaitsForAWindow) {
  auto world = three_old_ones();
  world.seen.window = {.open = false, .why = "the window is shut", .opens_in = Seconds(90)};

  const Plan plan = world.plan();

  EXPECT_THAT(begun(plan), IsEmpty());
  EXPECT_THAT(plan.told, ElementsAre("the window is shut"));
  EXPECT_EQ(plan.recheck, Seconds(90));
}

TEST(Selection, BeginsNothingWhileTheRolloutIsHeld) {
  auto world = three_old_ones();
  world.may_go_on = false;

  EXPECT_THAT(begun(world.plan()), IsEmpty());
}

// --- the steps of one Machine ---

TEST(Protocol, LabelsCandidates) {
  InPlaceWorld world;
  world.limits.unavailable = 0;
  world.add("m1", "old");

  EXPECT_THAT(steps(world.plan()),
              ElementsAre(AllOf(HasSubstr("Node m1"), HasSubstr(label::kCandidateForUpdate))));
}

TEST(Protocol, DrainsWhatIsSelected) {
  InPlaceWorld world;
  auto& each = world.add("m1", "old", kBegin);
  EXPECT_THAT(steps(world.plan()),
              ElementsAre(AllOf(HasSubstr("change Node m1"), HasSubstr(label::kSelectedForUpdate))));

  world.label(each, label::kCandidateForUpdate, "true");
  world.label(each, label::kSelectedForUpdate, "true");

  EXPECT_THAT(steps(world.plan()), ElementsAre("drain Node m1"));
}

TEST(Protocol, DrainsNothingWhileTheRolloutIsHeld) {
  InPlaceWorld world;
  auto& each = world.add("m1", "old", kBegin);
  world.label(each, label::kCandidateForUpdate, "true");
  world.label(each, label::kSelectedForUpdate, "true");
  world.may_go_on = false;

  EXPECT_THAT(steps(world.plan()), IsEmpty());
}

// What the agent may not have begun is given up.
TEST(Protocol, GivesADrainUpWhenAnotherTemplateIsWanted) {
  InPlaceWorld world;
  auto& each = world.add("m1", "old", "other Draining 2026-01-01T12:00:00Z");
  api::Node node = *each.node;
  node.spec.unschedulable = true;
  node.metadata.annotations.set(Text(drain::kCordonedBy), Text("default/m1"));
  each.node = std::make_shared<const api::Node>(node);

  EXPECT_THAT(steps(world.plan()),
              ElementsAre(AllOf(HasSubstr("change Node m1"), HasSubstr("unschedulable: true -> none")),
                          "mark Machine m1: nothing"));
}

TEST(Protocol, TellsTheAgentWhatTheMachineIsToBecome) {
  InPlaceWorld world;
  auto& each = world.add("m1", "old", updating_for(Seconds(5)));
  world.label(each, label::kUpdateResult, "successful");  // of an earlier update

  EXPECT_THAT(steps(world.plan()),
              ElementsAre(AllOf(
                  HasSubstr("ready-for-update]: none -> new"), HasSubstr("update-version]: none -> v1.36.0"),
                  Not(HasSubstr("update-bootstrap")), HasSubstr("update-result]: successful -> none"))));

  world.newest.spec.machine_template.spec.bootstrap.config_ref->name = "b2"_text;
  EXPECT_THAT(steps(world.plan()),
              ElementsAre(HasSubstr(R"(update-bootstrap]: none -> "KubeadmConfigTemplate b2")")));
}

TEST(Protocol, TakesItOffTheNodeAgainWithTheLabels) {
  InPlaceWorld world;
  auto& each = world.add("m1", "old");
  world.label(each, label::kReadyForUpdate, "other");
  api::Node node = *each.node;
  node.metadata.annotations.set(Text(annotation::kUpdateVersion), Text("v1.36.0"));
  each.node = std::make_shared<const api::Node>(node);

  EXPECT_THAT(steps(world.plan()), ElementsAre(AllOf(HasSubstr("ready-for-update]: other -> none"),
                                                     HasSubstr("update-version]: v1.36.0 -> none"))));
}

TEST(Protocol, AwaitsTheResultUntilItsTimeIsOver) {
  InPlaceWorld world;
  world.label(world.add("m1", "old", updating_for(Seconds(59))), label::kReadyForUpdate, "new");
  EXPECT_THAT(steps(world.plan()), IsEmpty());
  EXPECT_EQ(world.plan().recheck, Seconds(1));

  world = {};
  world.label(world.add("m1", "old", updating_for(Seconds(60))), label::kReadyForUpdate, "new");

  EXPECT_THAT(steps(world.plan()), ElementsAre(HasSubstr("mark Machine m1: new TimedOut")));
}

TEST(Protocol, NamesAResultThatIsNone) {
  InPlaceWorld world;
  auto& each = world.add("m1", "old", updating_for(Seconds(59)));
  world.label(each, label::kReadyForUpdate, "new");
  world.label(each, label::kUpdateResult, "sucessful");
  const std::string odd =
      "label capstan.dev/update-result of its Node says \"sucessful\", successful or failed is meant";

  EXPECT_THAT(world.plan().told, ElementsAre("Machine m1: " + odd));
  EXPECT_THAT(steps(world.plan()), IsEmpty()) << "it is waited for";

  world = {};
  auto& late = world.add("m1", "old", updating_for(Seconds(60)));
  world.label(late, label::kReadyForUpdate, "new");
  world.label(late, label::kUpdateResult, "sucessful");

  EXPECT_THAT(steps(world.plan()), ElementsAre(HasSubstr("new TimedOut")));
}

TEST(Protocol, CountsNoTimeFromBeforeTheClusterWasReachedAgain) {
  InPlaceWorld world;
  world.label(world.add("m1", "old", updating_for(Seconds(600))), label::kReadyForUpdate, "new");
  world.seen.contact = {.now = true, .since = noon() + Seconds(-10)};

  EXPECT_THAT(steps(world.plan()), IsEmpty());
}

TEST(Protocol, StopsWhenAnUpdateHasFailed) {
  auto world = three_old_ones();
  world.limits.unavailable = 3;
  auto& failed = world.seen.machines[0];
  failed.machine = builders::a_machine("m1")
                       .in_set("old")
                       .running()
                       .annotated(api::policy::annotation::kInPlaceUpdate,
                                  "new Failed 2026-01-01T11:00:00Z kubelet does not start")
                       .shared();
  failed.mark = update_mark_of(*failed.machine);
  world.label(failed, label::kUpdateResult, "failed");

  const Plan plan = world.plan();

  EXPECT_THAT(begun(plan), IsEmpty());
  EXPECT_THAT(plan.told, Contains(AllOf(HasSubstr("Machine m1"), HasSubstr("kubelet does not start"))));
}

TEST(Protocol, TriesAgainWhenTheResultIsTakenOff) {
  InPlaceWorld world;
  world.label(world.add("m1", "old", "new Failed 2026-01-01T11:00:00Z why"), label::kReadyForUpdate, "new");

  EXPECT_THAT(steps(world.plan()), ElementsAre(HasSubstr("mark Machine m1: new Updating")));
}

// An agent that never said a word has none that could be taken off.
TEST(Protocol, WaitsForAPersonWhenTheTimeIsOver) {
  InPlaceWorld world;
  auto& each = world.add("m1", "old", "new TimedOut 2026-01-01T11:00:00Z why");
  world.label(each, label::kReadyForUpdate, "new");
  EXPECT_THAT(steps(world.plan()), IsEmpty());

  world.label(each, label::kUpdateResult, "successful");

  EXPECT_THAT(steps(world.plan()), ElementsAre(HasSubstr("mark Machine m1: new Updating")));
}

TEST(Protocol, BeginsAnewWhenAnotherTemplateIsWantedAfterAFailure) {
  InPlaceWorld world;
  world.add("m1", "old", "other Failed 2026-01-01T11:00:00Z why");

  EXPECT_THAT(steps(world.plan()), ElementsAre(HasSubstr("mark Machine m1: new Draining")));
}

// --- from one set to the other ---

TEST(Moves, BothSetsCountTheMachineAtItsNewPlaceFirst) {
  InPlaceWorld world;
  auto& each = world.add("m1", "old", updating_for(Seconds(5)));
  world.label(each, label::kReadyForUpdate, "new");
  world.label(each, label::kUpdateResult, "successful");

  const Plan plan = world.plan();

  EXPECT_EQ(plan.hand_overs.at("old").growth, -1);
  EXPECT_THAT(plan.hand_overs.at("old").leaving, ElementsAre("m1"));
  EXPECT_EQ(plan.hand_overs.at("new").growth, 1);
  EXPECT_THAT(plan.hand_overs.at("new").coming, ElementsAre("m1"));
  EXPECT_THAT(steps(plan), IsEmpty());
}

TEST(Moves, TheMachineFollowsOnceBothHaveItNoted) {
  InPlaceWorld world;
  auto& each = world.add("m1", "old", updating_for(Seconds(5)));
  world.label(each, label::kReadyForUpdate, "new");
  world.label(each, label::kUpdateResult, "successful");
  world.note(world.newest, kTakesOver, "m1");
  EXPECT_THAT(steps(world.plan()), IsEmpty());
  EXPECT_EQ(world.plan().hand_overs.at("new").growth, 0);
  EXPECT_EQ(world.plan().hand_overs.at("old").growth, -1);

  world.note(world.old, kHandsOver, "m1");

  EXPECT_THAT(steps(world.plan()), ElementsAre("move Machine m1 from MachineSet old to new"));
  EXPECT_EQ(world.plan().hand_overs.at("old").growth, 0);
}

// What the Node says by now is of no account: the Machine is updated, and one set counts it already.
TEST(Moves, WhatOneSetHasNotedTheOtherNotes) {
  InPlaceWorld world;
  world.label(world.add("m1", "old", updating_for(Seconds(5))), label::kReadyForUpdate, "new");
  world.note(world.newest, kTakesOver, "m1");
  EXPECT_THAT(world.plan().hand_overs.at("old").leaving, ElementsAre("m1"));
  EXPECT_EQ(world.plan().hand_overs.at("old").growth, -1);

  world.newest.metadata.annotations = {};
  world.note(world.old, kHandsOver, "m1");

  EXPECT_THAT(world.plan().hand_overs.at("new").coming, ElementsAre("m1"));
  EXPECT_EQ(world.plan().hand_overs.at("new").growth, 1);
}

TEST(Moves, NamesGoWhenTheMachineHasArrived) {
  InPlaceWorld world;
  world.add("m1", "new", "new Updated 2026-01-01T11:00:00Z");
  world.note(world.newest, kTakesOver, "m1");
  world.note(world.old, kHandsOver, "m1");

  const Plan plan = world.plan();

  EXPECT_EQ(plan.hand_overs.at("old"), HandOver());
  EXPECT_EQ(plan.hand_overs.at("new"), HandOver());
}

// Else a second Machine would be made beside it.
TEST(Moves, AMachineThatIsDeletedKeepsItsPlacesUntilItIsGone) {
  InPlaceWorld world;
  auto& each = world.add("m1", "old", updating_for(Seconds(5)));
  each.machine = builders::a_machine("m1").in_set("old").running().deleting().shared();
  each.mark = std::nullopt;
  world.note(world.newest, kTakesOver, "m1");
  world.note(world.old, kHandsOver, "m1");
  EXPECT_THAT(world.plan().hand_overs.at("new").coming, ElementsAre("m1"));
  EXPECT_THAT(world.plan().hand_overs.at("old").leaving, ElementsAre("m1"));

  world.seen.machines.clear();

  EXPECT_EQ(world.plan().hand_overs.at("new"), HandOver());
  EXPECT_EQ(world.plan().hand_overs.at("old"), HandOver());
}

TEST(Moves, AMachineThatIsNotToMoveAnyMoreIsCountedWhereItIs) {
  InPlaceWorld world;
  world.add("m1", "old", "new TimedOut 2026-01-01T11:00:00Z why");
  world.note(world.newest, kTakesOver, "m1");
  world.note(world.old, kHandsOver, "m1");

  const Plan plan = world.plan();

  EXPECT_EQ(plan.hand_overs.at("old").growth, 1);
  EXPECT_EQ(plan.hand_overs.at("new").growth, -1);
}

TEST(Moves, TheNodeGetsWorkAgainBeforeTheMarkGoes) {
  InPlaceWorld world;
  auto& each = world.add("m1", "new", "new Updated 2026-01-01T11:00:00Z");
  world.label(each, label::kUpdateResult, "successful");

  EXPECT_THAT(steps(world.plan()), ElementsAre(HasSubstr("mark the bootstrap object of Machine m1"),
                                               HasSubstr("change Node m1"), "mark Machine m1: nothing"));
}

TEST(Moves, AnUpdatedMachineWaitsForItsNodeToBeSeen) {
  InPlaceWorld world;
  auto& each = world.add("m1", "new", "new Updated 2026-01-01T11:00:00Z");
  each.node = nullptr;
  world.seen.sees_nodes = false;

  EXPECT_THAT(steps(world.plan()), IsEmpty());
}

// --- off ---

TEST(Decide, DoesNothingWhereNothingAsksForIt) {
  auto world = three_old_ones();
  world.seen = {};

  const Plan plan = world.plan();

  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_FALSE(plan.keeps_old);
}

TEST(Decide, DoesNothingUnderAPolicyWithoutUpdatesInPlace) {
  InPlaceWorld world;
  for (const auto* name : {"m1", "m2", "m3"}) world.add(name, "old");
  world.seen.wanted.reset();

  const Plan plan = world.plan();

  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_THAT(plan.told, IsEmpty());
  EXPECT_FALSE(plan.keeps_old);
  EXPECT_EQ(plan.hand_overs.at("old"), HandOver());
}

TEST(Decide, ReleasesWhatWasUpdatedWhenThePolicyGoes) {
  InPlaceWorld world;
  auto& each = world.add("m1", "old", updating_for(Seconds(5)));
  world.label(each, label::kReadyForUpdate, "new");
  world.seen.wanted.reset();

  EXPECT_THAT(steps(world.plan()), ElementsAre(HasSubstr("change Node m1"), "mark Machine m1: nothing"));
}

// --- keys of machine-controller-manager ---

constexpr std::string_view kTheirSelected = "node.machine.sapcloud.io/selected-for-update";
constexpr std::string_view kTheirResult = "node.machine.sapcloud.io/update-result";
constexpr std::string_view kTheirReason = "node.machine.sapcloud.io/update-failed-reason";

// As a manager that was started with --mcm-aliases.
class McmLabels : public testing::Test {
 protected:
  McmLabels() { lifecycle::accept_mcm_aliases(true); }
  ~McmLabels() override { lifecycle::accept_mcm_aliases(false); }
};

TEST_F(McmLabels, SelectAMachineByHand) {
  auto world = three_old_ones();
  world.seen.wanted->mode = Text(api::PolicyInPlace::kManual);

  world.label(world.seen.machines[1], kTheirSelected, "true");

  EXPECT_THAT(begun(world.plan()), ElementsAre("m2"));
}

TEST_F(McmLabels, ReportAResultAndGoWithOurs) {
  InPlaceWorld world;
  auto& each = world.add("m1", "old", updating_for(Seconds(5)));
  world.label(each, label::kReadyForUpdate, "new");
  world.label(each, kTheirResult, "failed");
  auto node = *each.node;
  node.metadata.annotations.set(kTheirReason, "no space left");
  each.node = std::make_shared<const api::Node>(std::move(node));

  EXPECT_THAT(steps(world.plan()), ElementsAre(AllOf(HasSubstr("new Failed"), HasSubstr("no space left"))));

  world.seen.wanted.reset();
  EXPECT_THAT(steps(world.plan()),
              Contains(AllOf(HasSubstr("change Node m1"), HasSubstr(kTheirResult), HasSubstr(kTheirReason))));
}

TEST_F(McmLabels, OfAnEarlierTimeGoBeforeTheAgentBegins) {
  InPlaceWorld world;
  auto& each = world.add("m1", "old", updating_for(Seconds(5)));
  world.label(each, kTheirResult, "successful");

  EXPECT_THAT(steps(world.plan()), ElementsAre(AllOf(HasSubstr("change Node m1"), HasSubstr(kTheirResult),
                                                     HasSubstr(label::kReadyForUpdate))));
}

TEST(WithoutTheSwitch, LabelsOfMachineControllerManagerReportNothing) {
  InPlaceWorld world;
  auto& each = world.add("m1", "old", updating_for(Seconds(5)));
  world.label(each, label::kReadyForUpdate, "new");
  world.label(each, kTheirResult, "failed");

  EXPECT_THAT(steps(world.plan()), IsEmpty());
}

}  // namespace
}  // namespace capstan::controllers::inplace
