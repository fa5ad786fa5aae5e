#include "controllers/machinedeployment/held_rolls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/policy/names.h"
#include "controllers/safety/deletion_guard.h"
#include "test/builders/machine_deployment.h"

namespace capstan::controllers::machinedeployment {
namespace {

using builders::a_machine_deployment;
using rollout::Fleet;
using rollout::Scaling;
using safety::Cause;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Five old Machines, of which a step takes some.
struct Step {
  explicit Step(Count to) {
    fleet.old = {{.name = "old", .spec = 5}};
    scaling.intend("new", 2);
    scaling.intend("old", to);
    seen.now = builders::noon();
    seen.stored = a_machine_deployment("web").shared();
  }
  Step& shut_for(Cause cause) {
    seen.deletion_rules.windows = {
        {.of = "MachineLifecyclePolicy care",
         .list = {{.cron = *Cron::parse("0 2 * * *"), .duration = Seconds(600), .causes = {cause}}}}};
    return *this;
  }
  Step& guarded() {
    seen.deletion_rules.policy = "care";
    seen.deletion_rules.guard_percent = 20;
    seen.deletion_rules.governed = 5;
    return *this;
  }
  Step& confirmed_for(Count taken) {
    const safety::GuardQuestion question{.owner = seen.stored->metadata,
                                         .doomed = {{.identity = "old: " + std::to_string(taken) + " of 5"}}};
    seen.stored = a_machine_deployment("web")
                      .annotated(api::policy::annotation::kConfirmDeletion, safety::hash_of(question))
                      .shared();
    return *this;
  }
  // OnDelete: a user has deleted so many of the old Machines.
  Step& deleted_by_a_user(Count machines) {
    on_delete = true;
    fleet.old.front().status = 5 - machines;
    return *this;
  }
  bool hold(bool paused = false) {
    return hold_rolls(seen, {.fleet = fleet, .paused = paused, .on_delete = on_delete}, scaling, plan);
  }

  Observation seen = {};
  Fleet fleet = {};
  Scaling scaling = {};
  Plan plan = {};
  bool on_delete = false;
};

TEST(HeldRolls, KeepOldSetsOutsideTheWindow) {
  Step step = Step(3).shut_for(Cause::Rollout);
  step.hold();
  EXPECT_EQ(step.scaling.of("old"), 5);
  EXPECT_EQ(step.scaling.of("new"), 2);
  EXPECT_THAT(step.plan.held,
              ElementsAre(HasSubstr("outside the windows of MachineLifecyclePolicy care for Rollout")));
  EXPECT_EQ(step.plan.recheck, std::chrono::hours(14));
}

TEST(HeldRolls, LetAStepGoThatNoWindowIsFor) {
  Step step = Step(3).shut_for(Cause::ScaleIn);
  step.hold();
  EXPECT_EQ(step.scaling.of("old"), 3);
  EXPECT_THAT(step.plan.held, IsEmpty());
}

TEST(HeldRolls, AskAboutScalingInWhileTheRolloutIsPaused) {
  Step step = Step(3).shut_for(Cause::ScaleIn);
  step.hold(true);
  EXPECT_EQ(step.scaling.of("old"), 5);
}

TEST(HeldRolls, KeepOldSetsUntilALargeStepIsConfirmed) {
  Step step = Step(0).guarded();
  EXPECT_FALSE(step.hold());
  EXPECT_EQ(step.scaling.of("old"), 5);
  EXPECT_THAT(step.plan.held, ElementsAre(HasSubstr("5 of MachineSet old")));
}

TEST(HeldRolls, LetOneMachineGo) {
  Step step = Step(4).guarded();
  EXPECT_FALSE(step.hold());
  EXPECT_EQ(step.scaling.of("old"), 4);
}

// A window or the guard kept them when fewer were wanted, and the template changed since.
TEST(HeldRolls, CountWhatTheOldSetsHoldWithTheStepThatTakesIt) {
  Step step = Step(4).guarded();
  step.fleet.old.front().held = 3;
  step.hold();
  EXPECT_EQ(step.scaling.of("old"), 5);
  EXPECT_THAT(step.plan.held, ElementsAre(HasSubstr("4 of MachineSet old")));
}

TEST(HeldRolls, AskNothingOfAStepThatLeavesTheOldSetsAsTheyAre) {
  Step step = Step(5).guarded();
  step.fleet.old.front().held = 3;
  step.hold();
  EXPECT_THAT(step.plan.held, IsEmpty());
}

TEST(HeldRolls, UseTheConfirmationOfTheirStep) {
  Step step = Step(0).guarded().confirmed_for(5);
  EXPECT_TRUE(step.hold());
  EXPECT_EQ(step.scaling.of("old"), 0);
}

TEST(HeldRolls, UseNoConfirmationOfAnotherStep) {
  Step step = Step(0).guarded().confirmed_for(4);
  EXPECT_FALSE(step.hold());
  EXPECT_EQ(step.scaling.of("old"), 5);
}

TEST(HeldRolls, HoldNoReplacementOfWhatAUserDeletedUnderOnDelete) {
  Step outside = Step(3).shut_for(Cause::Rollout).deleted_by_a_user(2);
  outside.hold();
  EXPECT_EQ(outside.scaling.of("old"), 3);
  EXPECT_THAT(outside.plan.held, IsEmpty());
  Step guarded = Step(3).guarded().deleted_by_a_user(2);
  guarded.hold();
  EXPECT_EQ(guarded.scaling.of("old"), 3);
  EXPECT_THAT(guarded.plan.held, IsEmpty());
}

TEST(HeldRolls, KeepWhatAUserLeftUnderOnDelete) {
  Step step = Step(1).guarded().deleted_by_a_user(1);
  step.hold();
  EXPECT_EQ(step.scaling.of("old"), 4);
  EXPECT_THAT(step.plan.held, ElementsAre(HasSubstr("3 of MachineSet old")));
}

}  // namespace
}  // namespace capstan::controllers::machinedeployment
