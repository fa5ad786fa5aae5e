#include "controllers/rollout/rolling_update.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::controllers::rollout {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Time day(std::int64_t number) { return Time::from_unix(1767268800 + number * 86400); }

SetCounts a_set(std::string name, Count spec, Count status, Count available, std::int64_t age_rank = 0) {
  return {.name = std::move(name),
          .created = day(age_rank),
          .spec = spec,
          .status = status,
          .available = available};
}

Limits limits(Count desired, Count surge, Count unavailable) {
  return {.desired = desired, .surge = surge, .unavailable = unavailable};
}

std::vector<std::string> sizes_in(const Scaling& scaling) {
  std::vector<std::string> texts;
  for (const Intent& intent : scaling.intents)
    texts.push_back(fmt::format("{} {}", intent.set, intent.replicas));
  return texts;
}

std::vector<std::string> planned(const Fleet& fleet) { return sizes_in(plan_rolling_update(fleet)); }

// Rolls O over to N, every Machine following at once, and tells each step: what came in one reconcile is
// joined by '+'.
std::vector<std::string> whole_rollout(const Limits& limits) {
  Fleet fleet{.limits = limits,
              .newest = a_set("N", 0, 0, 0, 1),
              .old = {a_set("O", limits.desired, limits.desired, limits.desired)}};
  std::vector<std::string> steps;
  for (int round = 0; round < 100; ++round) {
    const Scaling scaling = plan_rolling_update(fleet);
    if (scaling.intents.empty()) return steps;
    steps.push_back(fmt::format("{}", fmt::join(sizes_in(scaling), "+")));
    for (SetCounts* set : {&*fleet.newest, &fleet.old.front()}) {
      set->spec = scaling.of(set->name).value_or(set->spec);
      set->status = set->available = set->spec;
    }
  }
  steps.emplace_back("never ends");
  return steps;
}

// --- whole rollouts, step by step ---

TEST(RollingUpdate, SurgeOneUnavailableNothingGoesUpBeforeDown) {
  EXPECT_THAT(whole_rollout(limits(3, 1, 0)), ElementsAre("N 1", "O 2", "N 2", "O 1", "N 3", "O 0"));
}

TEST(RollingUpdate, SurgeNothingUnavailableOneGoesDownBeforeUp) {
  EXPECT_THAT(whole_rollout(limits(3, 0, 1)), ElementsAre("O 2", "N 1", "O 1", "N 2", "O 0", "N 3"));
}

TEST(RollingUpdate, SurgeThreeUnavailableOneStartsBothAtOnce) {
  EXPECT_EQ(whole_rollout(limits(6, 3, 1)).front(), "N 3+O 5");
}

TEST(RollingUpdate, OneReplicaWithoutSurgeIsDownForAMoment) {
  EXPECT_THAT(whole_rollout(limits(1, 0, 1)), ElementsAre("O 0", "N 1"));
}

TEST(RollingUpdate, HalfAndHalfOfThree) {
  // 50 % of 3: surge 2, unavailable 1
  EXPECT_THAT(whole_rollout(limits(3, 2, 1)), ElementsAre("N 2+O 2", "N 3+O 0"));
}

TEST(RollingUpdate, EverythingUnavailableAtOnce) {
  EXPECT_THAT(whole_rollout(limits(4, 0, 4)), ElementsAre("O 0", "N 4"));
}

// --- the new set (step B) ---

TEST(RollingUpdate, NewSetStaysWhenItHasWhatIsWanted) {
  EXPECT_THAT(planned({.limits = limits(3, 1, 0), .newest = a_set("N", 3, 3, 3)}), IsEmpty());
}

TEST(RollingUpdate, NewSetScalesDownWhateverIsAvailable) {
  EXPECT_THAT(planned({.limits = limits(2, 1, 0), .newest = a_set("N", 5, 5, 0)}), ElementsAre("N 2"));
}

// 7 with a surge of 2, in the middle of a rollout: 1 and 3 old ones, 5 new ones.
Fleet in_the_middle(Count desired) {
  return {.limits = limits(desired, 2, 0),
          .newest = a_set("N", 5, 5, 5, 9),
          .old = {a_set("A", 1, 1, 1, 1), a_set("B", 3, 3, 3, 2)}};
}

TEST(RollingUpdate, MoreReplicasInTheMiddleGrowTheNewSetAlone) {
  EXPECT_THAT(planned(in_the_middle(10)), ElementsAre("N 8"));
}

TEST(RollingUpdate, FewerReplicasInTheMiddleShrinkTheNewSetToThemAndLeaveNoMoreThanAreWanted) {
  EXPECT_THAT(planned(in_the_middle(3)), ElementsAre("N 3", "A 0", "B 0"));
}

TEST(RollingUpdate, NewSetWaitsForOldMachinesThatAreStillGoing) {
  // total = sum of max(spec, status); the old set's spec is 0, but three Machines are still there
  EXPECT_THAT(
      planned({.limits = limits(3, 0, 1), .newest = a_set("N", 0, 0, 0, 1), .old = {a_set("O", 0, 3, 0)}}),
      IsEmpty());
  EXPECT_THAT(
      planned({.limits = limits(3, 0, 1), .newest = a_set("N", 0, 0, 0, 1), .old = {a_set("O", 0, 1, 0)}}),
      ElementsAre("N 2"));
}

// Scaled to nothing and back while a window, a guard or a freeze held the deletions: else all would go.
TEST(RollingUpdate, NewSetKeepsItsMachinesThatWereToGoAndAreWantedAgain) {
  EXPECT_THAT(planned({.limits = limits(3, 0, 1), .newest = a_set("N", 0, 3, 3)}), ElementsAre("N 3"));
  EXPECT_THAT(planned({.limits = limits(2, 1, 0), .newest = a_set("N", 0, 3, 3)}), ElementsAre("N 2"));
  EXPECT_THAT(
      planned({.limits = limits(3, 0, 1), .newest = a_set("N", 0, 2, 2, 1), .old = {a_set("O", 0, 2, 0)}}),
      ElementsAre("N 1"));
}

TEST(RollingUpdate, NewSetSaysWhyItGrows) {
  const auto plan = plan_rolling_update(
      {.limits = limits(3, 1, 0), .newest = a_set("N", 0, 0, 0, 1), .old = {a_set("O", 3, 3, 3)}});

  EXPECT_THAT(
      plan.notes,
      ElementsAre(Note{.about = "N",
                       .code = api::NoteCode::RolloutStep,
                       .text = "3 current Machines < 3 MachineDeployment spec.replicas + 1 maxSurge"}));
}

// --- old sets (step C) ---

TEST(RollingUpdate, UnavailableMachinesOfTheNewSetHoldTheOldOnes) {
  const Fleet broken{
      .limits = limits(3, 1, 1), .newest = a_set("N", 2, 2, 0, 1), .old = {a_set("O", 2, 2, 2)}};
  const Fleet sound{
      .limits = limits(3, 1, 1), .newest = a_set("N", 2, 2, 2, 1), .old = {a_set("O", 2, 2, 2)}};

  EXPECT_EQ(scale_down_budget(broken, {}), 0);
  EXPECT_EQ(scale_down_budget(sound, {}), 2);
}

TEST(RollingUpdate, BudgetCountsWhatIsOnItsWayDownAlready) {
  // totalSpec 4 - pendingDown 1 - minAvailable 3 - newUnavailable 0
  const Fleet fleet{
      .limits = limits(3, 1, 0), .newest = a_set("N", 2, 2, 2, 1), .old = {a_set("O", 2, 3, 2)}};

  EXPECT_EQ(scale_down_budget(fleet, {}), 0);
}

// 42 are available, two of the old ones are on their way out: waiting for them would roll one Machine at a
// time.
TEST(RollingUpdate, OldMachinesThatAreGoingHoldUpNoOthers) {
  SetCounts old = a_set("O", 38, 40, 38);
  const Fleet waits{.limits = limits(40, 4, 0), .newest = a_set("N", 4, 4, 4), .old = {old}};
  old.leaving = 2;
  const Fleet goes_on{.limits = limits(40, 4, 0), .newest = a_set("N", 4, 4, 4), .old = {old}};

  EXPECT_THAT(planned(waits), IsEmpty()) << "two may still be counted as available";
  EXPECT_THAT(planned(goes_on), ElementsAre("O 36"));
}

TEST(RollingUpdate, OldMachinesThatAreGoingMakeNoSickOneSound) {
  SetCounts old = a_set("O", 38, 40, 37);
  old.leaving = 2;

  EXPECT_THAT(planned({.limits = limits(40, 4, 0), .newest = a_set("N", 4, 4, 4), .old = {old}}),
              ElementsAre("O 37"));
}

TEST(RollingUpdate, SickOldMachinesGoFirst) {
  // All three of O1 are broken; O2 works and is older.
  const Fleet fleet{.limits = limits(6, 0, 1),
                    .newest = a_set("N", 0, 0, 0, 9),
                    .old = {a_set("O2", 5, 5, 5, 0), a_set("O1", 1, 1, 0, 1)}};

  EXPECT_THAT(planned(fleet), ElementsAre("O1 0"));
}

TEST(RollingUpdate, AHalfSickOldSetIsSparedWhereASoundMachineMightGo) {
  // Two of O's three are available and nothing may be lost: which one the set would delete is not known.
  const Fleet fleet{
      .limits = limits(3, 2, 0), .newest = a_set("N", 1, 1, 1, 1), .old = {a_set("O", 3, 3, 2)}};

  EXPECT_EQ(scale_down_budget(fleet, {}), 1);
  EXPECT_THAT(planned(fleet), ElementsAre("N 2"));
}

TEST(RollingUpdate, ReplicasThatNeverBecameMachinesGoAtOnce) {
  const auto plan = plan_rolling_update(
      {.limits = limits(3, 1, 0), .newest = a_set("N", 1, 1, 1, 1), .old = {a_set("O", 3, 2, 2)}});

  EXPECT_EQ(plan.of("O"), 2);
  EXPECT_EQ(plan.notes.back().text,
            "scale down to align to existing Machines or scale down by removing unavailable replicas (and no "
            "available replicas exist on the MachineSet)");
}

TEST(RollingUpdate, OldestSetShrinksFirst) {
  const Fleet fleet{.limits = limits(4, 0, 2),
                    .newest = a_set("N", 0, 0, 0, 9),
                    .old = {a_set("young", 2, 2, 2, 5), a_set("older", 2, 2, 2, 1)}};

  EXPECT_THAT(planned(fleet), ElementsAre("older 0"));
}

TEST(RollingUpdate, SetsOfOneMomentShrinkByName) {
  const Fleet fleet{.limits = limits(4, 0, 1),
                    .newest = a_set("N", 0, 0, 0, 9),
                    .old = {a_set("b", 2, 2, 2, 1), a_set("a", 2, 2, 2, 1)}};

  EXPECT_THAT(planned(fleet), ElementsAre("a 1"));
}

TEST(RollingUpdate, SaysHowManyAvailableThereWere) {
  const auto plan = plan_rolling_update(
      {.limits = limits(3, 1, 0), .newest = a_set("N", 1, 1, 1, 1), .old = {a_set("O", 3, 3, 3)}});

  EXPECT_THAT(plan.notes, ElementsAre(Note{.about = "O",
                                           .code = api::NoteCode::RolloutStep,
                                           .text = "4 available replicas > 3 minimum available replicas"}));
}

// --- while a set has not seen its new size ---

Fleet unsettled(Fleet fleet) {
  fleet.newest->settled = false;
  return fleet;
}

// One of three old Machines died and its successor is held up, by a quota or a preflight check, when the
// template changes: if the new one is broken, that successor is the third Machine that was promised.
TEST(RollingUpdate, TheSuccessorOfAnOldMachineIsNotGivenUpForANewOneThatMayNeverWork) {
  const SetCounts old = a_set("O", 3, 2, 2);

  EXPECT_THAT(planned(unsettled({.limits = limits(3, 1, 0), .newest = a_set("N", 1, 0, 0, 1), .old = {old}})),
              IsEmpty());
  EXPECT_THAT(planned({.limits = limits(3, 1, 0), .newest = a_set("N", 1, 1, 0, 1), .old = {old}}),
              IsEmpty());
  EXPECT_THAT(planned({.limits = limits(3, 1, 0), .newest = a_set("N", 1, 1, 1, 1), .old = {old}}),
              ElementsAre("O 2"));
}

TEST(RollingUpdate, AnAvailableMachineOfASetThatHasNotSeenItsSizeMakesUpForNone) {
  const Fleet fleet{
      .limits = limits(3, 1, 0), .newest = a_set("N", 2, 1, 1, 1), .old = {a_set("O", 3, 2, 2)}};

  EXPECT_THAT(planned(unsettled(fleet)), IsEmpty());  // it may be on its way out
  EXPECT_THAT(planned(fleet), ElementsAre("O 2"));
}

TEST(RollingUpdate, WhatWasNeverMadeBeyondThePromiseIsGivenUpAtOnce) {
  // The template changed twice: the Machine of the first change would be made for nothing.
  const Fleet twice{.limits = limits(3, 1, 0),
                    .newest = a_set("N", 0, 0, 0, 2),
                    .old = {a_set("O", 3, 3, 3), a_set("P", 1, 0, 0, 1)}};
  const Fleet one_may_be_missing{
      .limits = limits(3, 1, 1), .newest = a_set("N", 1, 0, 0, 1), .old = {a_set("O", 3, 1, 1)}};

  EXPECT_THAT(planned(unsettled(twice)), ElementsAre("P 0"));
  EXPECT_THAT(planned(unsettled(one_may_be_missing)), ElementsAre("O 2"));
}

// --- the deadlock breaker (step E) ---

// Two replicas wanted, the new Machine works, one of the two old ones is broken for good: nothing would move.
Fleet stuck() {
  return {.limits = limits(2, 1, 0), .newest = a_set("N", 1, 1, 1, 1), .old = {a_set("O", 2, 2, 1)}};
}

// Ten replicas, five more allowed, and all of them may be unavailable.
Fleet starting(const SetCounts& newest, const SetCounts& old, std::optional<Count> slow_start) {
  return {.limits = limits(10, 5, 10), .newest = newest, .old = {old}, .slow_start = slow_start};
}

TEST(RollingUpdate, ASlowStartMakesAndTakesAFewBeforeTheFirstNewMachineIsAvailable) {
  const SetCounts old = a_set("O", 10, 10, 10);

  EXPECT_THAT(planned(starting(a_set("N", 0, 0, 0), old, std::nullopt)), ElementsAre("N 5", "O 0"));
  EXPECT_THAT(planned(starting(a_set("N", 0, 0, 0), old, 2)), ElementsAre("N 2", "O 8"));
  EXPECT_THAT(planned(starting(a_set("N", 2, 2, 0), a_set("O", 8, 8, 8), 2)), IsEmpty());
  EXPECT_THAT(planned(starting(a_set("N", 2, 2, 1), a_set("O", 8, 8, 8), 2)), ElementsAre("N 7", "O 0"));
}

TEST(RollingUpdate, ASlowStartTakesNothingBackFromASetThatIsLarger) {
  EXPECT_THAT(planned(starting(a_set("N", 5, 5, 0), a_set("O", 8, 8, 8), 2)), IsEmpty());
}

TEST(RollingUpdate, ASlowStartBeyondTheReplicasIsNone) {
  EXPECT_THAT(planned(starting(a_set("N", 0, 0, 0), a_set("O", 10, 10, 10), 99)), ElementsAre("N 5", "O 0"));
}

TEST(RollingUpdate, ABrokenOldMachineDoesNotHoldTheRolloutForEver) {
  const auto plan = plan_rolling_update(stuck());

  EXPECT_THAT(sizes_in(plan), ElementsAre("O 1"));
  EXPECT_THAT(plan.notes,
              ElementsAre(Note{
                  .about = "N",
                  .code = api::NoteCode::RolloutStep,
                  .text = "scaling down by 1 to unblock rollout stuck due to unavailable Machine on oldMS"}));
}

TEST(RollingUpdate, NothingIsForcedWhileAnythingMoves) {
  Fleet coming = stuck();
  coming.newest->status = 0;
  Fleet going = stuck();
  going.old.front().status = 3;
  Fleet unproven = stuck();
  unproven.newest->available = 0;

  EXPECT_THAT(planned(coming), IsEmpty());
  EXPECT_THAT(planned(going), IsEmpty());
  EXPECT_THAT(planned(unproven), IsEmpty());
}

TEST(RollingUpdate, NothingIsForcedWhenOldMachinesWork) {
  Fleet sound = stuck();
  sound.limits = limits(3, 0, 0);
  sound.old.front().available = 2;

  EXPECT_THAT(planned(sound), IsEmpty());
}

}  // namespace
}  // namespace capstan::controllers::rollout
