// Limits, the strategy OnDelete, scaling while paused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/rollout/limits.h"
#include "controllers/rollout/on_delete.h"
#include "controllers/rollout/scaling.h"
#include "test/builders/machine_deployment.h"

namespace capstan::controllers::rollout {
namespace {

using builders::a_machine_deployment;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Time day(std::int64_t number) { return Time::from_unix(1767268800 + number * 86400); }

SetCounts a_set(std::string name, Count spec, Count status, Count available, std::int64_t born = 0) {
  return {
      .name = std::move(name), .created = day(born), .spec = spec, .status = status, .available = available};
}

std::vector<std::string> sizes_in(const Scaling& scaling) {
  std::vector<std::string> texts;
  for (const Intent& intent : scaling.intents)
    texts.push_back(fmt::format("{} {}", intent.set, intent.replicas));
  return texts;
}

IntOrString percent(std::string_view text) { return IntOrString(Text(text)); }

Limits limits_for(std::int32_t replicas, IntOrString surge, IntOrString unavailable) {
  return *limits_of(
      a_machine_deployment().replicas(replicas).rolling(std::move(surge), std::move(unavailable)));
}

// --- limits: how maxSurge and maxUnavailable are rounded ---

TEST(LimitsOf, SurgeRoundsUpAndUnavailableDown) {
  EXPECT_EQ(limits_for(3, percent("50%"), percent("50%")), (Limits{3, 2, 1}));
  EXPECT_EQ(limits_for(10, percent("25%"), percent("25%")), (Limits{10, 3, 2}));
  EXPECT_EQ(limits_for(1, percent("25%"), percent("25%")), (Limits{1, 1, 0}));
  EXPECT_EQ(limits_for(2, percent("25%"), percent("25%")), (Limits{2, 1, 0}));
  EXPECT_EQ(limits_for(3, percent("1%"), percent("1%")), (Limits{3, 1, 0}));
}

TEST(LimitsOf, BothNothingMeansOneUnavailable) {
  EXPECT_EQ(limits_for(3, percent("0%"), percent("0%")), (Limits{3, 0, 1}));
  EXPECT_EQ(limits_for(3, IntOrString(0), percent("20%")), (Limits{3, 0, 1}));
}

TEST(LimitsOf, UnavailableIsCappedAtReplicasAndSurgeIsNot) {
  EXPECT_EQ(limits_for(2, IntOrString(7), IntOrString(7)), (Limits{2, 7, 2}));
  EXPECT_EQ(limits_for(0, IntOrString(1), IntOrString(1)), (Limits{0, 1, 0}));
}

TEST(LimitsOf, OnDeleteHasNone) {
  EXPECT_EQ(*limits_of(a_machine_deployment().replicas(4).on_delete()), (Limits{4, 0, 0}));
}

TEST(LimitsOf, RefusesWhatIsNeitherNumberNorPercentageAndNamesTheField) {
  const auto refused = limits_of(a_machine_deployment().rolling(percent("lots"), IntOrString(0)));

  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("spec.rollout.strategy.rollingUpdate.maxSurge"));
}

// --- OnDelete ---

TEST(OnDelete, NothingMovesWhileNobodyDeletes) {
  EXPECT_THAT(
      sizes_in(plan_on_delete(
          {.limits = {.desired = 3}, .newest = a_set("N", 0, 0, 0, 1), .old = {a_set("O", 3, 3, 3)}})),
      IsEmpty());
}

TEST(OnDelete, TheOldSetFollowsItsMachines) {
  EXPECT_THAT(
      sizes_in(plan_on_delete(
          {.limits = {.desired = 3}, .newest = a_set("N", 0, 0, 0, 1), .old = {a_set("O", 3, 2, 2)}})),
      ElementsAre("O 2"));
}

TEST(OnDelete, TheNewSetMakesUpForWhatIsGone) {
  EXPECT_THAT(
      sizes_in(plan_on_delete(
          {.limits = {.desired = 3}, .newest = a_set("N", 0, 0, 0, 1), .old = {a_set("O", 2, 2, 2)}})),
      ElementsAre("N 1"));
}

TEST(OnDelete, TheNewSetKeepsItsMachinesThatWereToGoAndAreWantedAgain) {
  EXPECT_THAT(sizes_in(plan_on_delete({.limits = {.desired = 3}, .newest = a_set("N", 0, 3, 3)})),
              ElementsAre("N 3"));
}

TEST(OnDelete, WhatIsTooMuchIsTakenFromTheOldestSet) {
  EXPECT_THAT(sizes_in(plan_on_delete({.limits = {.desired = 3},
                                       .newest = a_set("N", 1, 1, 1, 9),
                                       .old = {a_set("young", 2, 2, 2, 5), a_set("older", 1, 1, 1, 1)}})),
              ElementsAre("older 0"));
}

TEST(OnDelete, TheNewSetComesDownWhenItAloneIsTooLarge) {
  EXPECT_THAT(sizes_in(plan_on_delete({.limits = {.desired = 2}, .newest = a_set("N", 5, 5, 5)})),
              ElementsAre("N 2"));
}

TEST(OnDelete, TheSecondPassGoesOnFromTheFirst) {
  // One of four was deleted by hand while the deployment was scaled from four to two: three are left, one is
  // too many. Upstream plans max(4 - 1, 0) = 3 and comes back for it.
  EXPECT_THAT(
      sizes_in(plan_on_delete(
          {.limits = {.desired = 2}, .newest = a_set("N", 0, 0, 0, 1), .old = {a_set("O", 4, 3, 3)}})),
      ElementsAre("O 2"));
}

// --- paused ---

TEST(Paused, TheOnlySetFollowsTheReplicas) {
  EXPECT_THAT(sizes_in(plan_paused({.limits = {5, 1, 0}, .newest = a_set("N", 3, 3, 3)}, false)),
              ElementsAre("N 5"));
  EXPECT_THAT(sizes_in(plan_paused({.limits = {3, 1, 0}, .newest = a_set("N", 3, 3, 3)}, false)), IsEmpty());
}

TEST(Paused, TheOnlySetKeepsItsMachinesThatWereToGoAndAreWantedAgain) {
  EXPECT_THAT(sizes_in(plan_paused({.limits = {3, 0, 1}, .newest = a_set("N", 1, 3, 3)}, false)),
              ElementsAre("N 3"));
}

TEST(Paused, WithoutMachinesTheNewSetStandsForAll) {
  EXPECT_THAT(
      sizes_in(plan_paused(
          {.limits = {2, 1, 0}, .newest = a_set("N", 0, 0, 0, 1), .old = {a_set("O", 0, 0, 0)}}, false)),
      ElementsAre("N 2"));
}

TEST(Paused, WithoutANewSetTheYoungestOldOneDoes) {
  EXPECT_THAT(sizes_in(plan_paused(
                  {.limits = {2, 1, 0}, .old = {a_set("A", 0, 0, 0, 1), a_set("B", 0, 0, 0, 2)}}, false)),
              ElementsAre("B 2"));
}

TEST(Paused, ASaturatedNewSetEndsTheOldOnes) {
  EXPECT_THAT(
      sizes_in(plan_paused(
          {.limits = {3, 1, 0}, .newest = a_set("N", 3, 3, 3, 1), .old = {a_set("O", 1, 1, 1)}}, false)),
      ElementsAre("O 0"));
}

TEST(Paused, TheLargestSetTakesTheWholeDifference) {
  // allowed 5 + 1, there are 4
  EXPECT_THAT(
      sizes_in(plan_paused(
          {.limits = {5, 1, 0}, .newest = a_set("N", 1, 1, 1, 1), .old = {a_set("O", 3, 3, 3)}}, false)),
      ElementsAre("O 5"));
  // allowed 2 + 1, there are 4
  EXPECT_THAT(
      sizes_in(plan_paused(
          {.limits = {2, 1, 0}, .newest = a_set("N", 1, 1, 1, 1), .old = {a_set("O", 3, 3, 3)}}, false)),
      ElementsAre("O 2"));
}

TEST(Paused, OfEqualSetsTheNewerGrowsAndTheOlderShrinks) {
  const auto fleet = [](Count desired) {
    return Fleet{.limits = {desired, 0, 1}, .newest = a_set("N", 2, 2, 2, 1), .old = {a_set("O", 2, 2, 2)}};
  };

  EXPECT_THAT(sizes_in(plan_paused(fleet(5), false)), ElementsAre("N 3"));
  EXPECT_THAT(sizes_in(plan_paused(fleet(3), false)), ElementsAre("O 1"));
}

TEST(Paused, AMachineOnItsWayOutCountsUntilItIsGone) {
  // allowed 4 + 1: a deleted Machine of the old set is held, so there are five of which specs tell four
  const auto fleet = [](Count of_old) {
    return Fleet{.limits = {4, 1, 0}, .newest = a_set("N", 3, 3, 3, 1), .old = {a_set("O", 1, of_old, 1)}};
  };

  EXPECT_THAT(sizes_in(plan_paused(fleet(2), false)), IsEmpty());
  EXPECT_THAT(sizes_in(plan_paused(fleet(1), false)), ElementsAre("N 4"));
}

TEST(Paused, TheOnlySetWaitsForTheLastMachineOfAnother) {
  const auto fleet = [](Count of_old) {
    return Fleet{.limits = {4, 0, 1}, .newest = a_set("N", 2, 2, 2, 1), .old = {a_set("O", 0, of_old, 0)}};
  };

  EXPECT_THAT(sizes_in(plan_paused(fleet(2), false)), IsEmpty());
  EXPECT_THAT(sizes_in(plan_paused(fleet(1), false)), ElementsAre("N 3"));
  EXPECT_THAT(sizes_in(plan_paused(fleet(0), false)), ElementsAre("N 4"));
}

TEST(Paused, MachinesOnTheirWayOutHoldNoScaleDown) {
  EXPECT_THAT(sizes_in(plan_paused({.limits = {2, 1, 0}, .newest = a_set("N", 4, 6, 4)}, false)),
              ElementsAre("N 2"));
  EXPECT_THAT(
      sizes_in(plan_paused(
          {.limits = {2, 1, 0}, .newest = a_set("N", 1, 1, 1, 1), .old = {a_set("O", 3, 5, 3)}}, false)),
      ElementsAre("O 2"));
}

TEST(Paused, NoReplicasEmptyEverySet) {
  EXPECT_THAT(
      sizes_in(plan_paused(
          {.limits = {0, 1, 0}, .newest = a_set("N", 1, 1, 0, 1), .old = {a_set("O", 2, 2, 2)}}, false)),
      ElementsAre("O 0", "N 0"));
}

TEST(Paused, OnDeleteScalesNoTwoSets) {
  EXPECT_THAT(
      sizes_in(plan_paused(
          {.limits = {9, 0, 0}, .newest = a_set("N", 1, 1, 1, 1), .old = {a_set("O", 3, 3, 3)}}, true)),
      IsEmpty());
}

}  // namespace
}  // namespace capstan::controllers::rollout
