#include "controllers/fleetpolicy/decide.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/fleetpolicy/seen_fixture.h"

namespace capstan::controllers::fleetpolicy {
namespace {

using builders::a_fleet_policy;
using builders::a_machine;
using builders::noon;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

// --- who gets a place ---

TEST(Granting, GoesToTheOldestRequestFirst) {
  const Plan plan = seen_by(a_fleet_policy().limits(2))
                        .with(asking("a", 10s))
                        .with(asking("b", 30s))
                        .with(asking("c", 20s))
                        .plan();

  EXPECT_THAT(granted_by(plan), ElementsAre("b", "c"));
  EXPECT_THAT(held_by(plan), ElementsAre("b", "c"));
  EXPECT_EQ(plan.waiting.count, 1);
  EXPECT_EQ(plan.waiting.longest.called, "Machine default/a");
}

TEST(Granting, PassesOverTheClusterThatHasNoRoom) {
  const Plan plan = seen_by(a_fleet_policy().limits_each_cluster(1))
                        .with(asking("a", 30s))
                        .with(asking("b", 20s))
                        .with(asking("c", 10s).in_cluster("c2"))
                        .plan();

  EXPECT_THAT(granted_by(plan), ElementsAre("a", "c"));
  EXPECT_EQ(plan.waiting.longest.called, "Machine default/b");
}

TEST(Granting, CountsWhatWasGrantedBefore) {
  const auto policy = a_fleet_policy().limits(2).granted("x", noon()).gone(noon(), 1);

  EXPECT_THAT(granted_by(seen_by(policy).with(granted("x")).with(asking("a")).plan()), IsEmpty());
}

TEST(Granting, SaysWhatTheLongestOneWaitsFor) {
  const Plan plan = seen_by(a_fleet_policy().limits(0)).with(asking("a")).plan();

  EXPECT_EQ(plan.waiting.why, "spec.limits[0] (0 within 10m0s in all Clusters) allows none");
}

TEST(Granting, LooksAgainWhenABucketLeavesItsWindow) {
  const auto policy = a_fleet_policy().limits(1).gone(noon(), 1);

  EXPECT_EQ(seen_by(policy).with(asking("a")).after(60s).plan().recheck, 600s);
  EXPECT_THAT(granted_by(seen_by(policy).with(asking("a")).after(660s).plan()), ElementsAre("a"));
}

// Else the last write of a fleet at rest would come whenever something else wakes it.
TEST(Granting, LooksAgainWhenItsLastBucketIsOverThoughNoneWaits) {
  const auto policy = a_fleet_policy().limits(1).gone(noon(), 1);

  EXPECT_EQ(seen_by(policy).after(100s).plan().recheck, 560s);
  EXPECT_THAT(seen_by(policy).after(660s).plan().buckets, IsEmpty());
  EXPECT_EQ(seen_by(policy).after(660s).plan().recheck, std::nullopt);
}

TEST(Granting, IsOnlyForWorkersOfMachineSetsAndPools) {
  const Plan plan =
      seen_by(a_fleet_policy().limits(9))
          .with(asking("k").control_plane())
          .with(a_machine("own").annotated("capstan.dev/fleet-request", "ScaleIn~2026-01-01T12:00:00Z"))
          .with(asking("gone").deleting())
          .plan();

  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_EQ(plan.waiting.count, 0);
}

TEST(Granting, IsForMachinesOfPoolsToo) {
  const Plan plan = seen_by(a_fleet_policy().limits(9))
                        .with(a_machine("box").in_pool("mp1").annotated("capstan.dev/fleet-request",
                                                                        "ScaleIn~2026-01-01T12:00:00Z"))
                        .plan();

  EXPECT_THAT(granted_by(plan), ElementsAre("box"));
}

TEST(Granting, StandsStillWhileTheFleetIsFrozen) {
  const Plan plan = seen_by(a_fleet_policy().limits(9))
                        .with(asking("a"))
                        .where([](Observation& seen) { seen.frozen = "incident"; })
                        .plan();

  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_THAT(plan.waiting.why, HasSubstr("the fleet is frozen"));
}

TEST(Granting, IsNothingOfAPolicyThatDoesNotCount) {
  EXPECT_THAT(seen_by(a_fleet_policy("other").limits(9)).with(asking("a")).plan().actions, IsEmpty());
}

// --- what the status holds ---

TEST(Granting, TellsAgainWhatWasLostOnTheWayToTheMachine) {
  const Plan plan = seen_by(a_fleet_policy().limits(1).granted("a", noon())).with(asking("a")).plan();

  EXPECT_THAT(granted_by(plan), ElementsAre("a"));
  EXPECT_THAT(held_by(plan), ElementsAre("a"));
}

TEST(Granting, TakesBackWhatWasNotUsedWithinTenMinutes) {
  const auto policy = a_fleet_policy().limits(1).granted("a", noon());

  EXPECT_EQ(seen_by(policy).with(granted("a")).after(599s).plan().recheck, 1s);
  EXPECT_THAT(taken_back_by(seen_by(policy).with(granted("a")).after(599s).plan()), IsEmpty());
  EXPECT_THAT(taken_back_by(seen_by(policy).with(granted("a")).after(600s).plan()), ElementsAre("a"));
}

// Until the Machine says nothing of a grant any more its MachineSet may use it.
TEST(Granting, KeepsThePlaceOfAGrantThatIsBeingTakenBack) {
  const auto policy = a_fleet_policy().limits(1).granted("a", noon());
  const Plan taking = seen_by(policy).with(granted("a")).with(asking("b")).after(600s).plan();
  const Plan taken = seen_by(policy).with(a_machine("a")).with(asking("b")).after(601s).plan();

  EXPECT_THAT(held_by(taking), ElementsAre("a"));
  EXPECT_THAT(held_by(taken), ElementsAre("b"));
  EXPECT_THAT(taken.buckets, IsEmpty());
}

TEST(Granting, GivesThePlaceOfAMachineThatRecoveredToTheNextOne) {
  const auto policy = a_fleet_policy().limits(1).granted("a", noon());
  const Plan plan = seen_by(policy).with(a_machine("a").in_set("ms1")).with(asking("b")).plan();

  EXPECT_THAT(granted_by(plan), ElementsAre("b"));
  EXPECT_THAT(held_by(plan), ElementsAre("b"));
}

TEST(Granting, TakesBackAGrantWhoseRequestIsGone) {
  const auto told = a_machine("a").annotated("capstan.dev/fleet-grant", noon().to_string());

  EXPECT_THAT(taken_back_by(seen_by(a_fleet_policy().limits(1).granted("a", noon())).with(told).plan()),
              ElementsAre("a"));
}

TEST(Granting, HoldsAUsedOneUntilItsMachineIsGone) {
  const auto policy = a_fleet_policy().limits(1).granted("a", noon()).begun(noon());
  const Plan going = seen_by(policy).with(granted("a").deleting()).with(asking("b")).after(3600s).plan();
  const Plan gone = seen_by(policy).with(asking("b")).after(3600s).plan();

  EXPECT_THAT(held_by(going), ElementsAre("a"));
  EXPECT_THAT(going.actions, IsEmpty());
  EXPECT_THAT(granted_by(gone), ElementsAre("b"));
}

TEST(Granting, CountsAMachineThatIsGoneByTheMinuteInWhichItsDeletionBegan) {
  const auto policy = a_fleet_policy().limits(1).granted("a", noon()).begun(noon() + 119s);
  const Plan plan = seen_by(policy).after(300s).plan();

  ASSERT_THAT(plan.buckets, SizeIs(1));
  EXPECT_EQ(plan.buckets[0].minute, noon() + 60s);
  EXPECT_EQ(plan.buckets[0].count, 1);
}

// Else a MachineSet that was held up for a while lets more begin within a window than its limit allows.
TEST(Granting, CountsADeletionByAnOldGrantFromWhenItBegan) {
  const auto granted_before = a_fleet_policy().limits(1, 120s).granted("a", noon());
  const Plan begins = seen_by(granted_before).with(granted("a").deleting()).after(599s).plan();
  ASSERT_THAT(begins.grants, SizeIs(1));
  EXPECT_EQ(begins.grants[0].begun_at, noon() + 599s);

  const auto begun = a_fleet_policy().limits(1, 120s).granted("a", noon()).begun(noon() + 599s);
  const Plan gone = seen_by(begun).with(asking("b")).after(610s).plan();

  EXPECT_THAT(granted_by(gone), IsEmpty());
  EXPECT_THAT(gone.waiting.why, HasSubstr("is full"));
}

TEST(Granting, TakesBackWhatItKnowsNothingOf) {
  const Plan plan =
      seen_by(a_fleet_policy().limits(1)).with(granted("a")).with(granted("b").deleting()).plan();

  EXPECT_THAT(taken_back_by(plan), ElementsAre("a"));
  EXPECT_THAT(held_by(plan), IsEmpty());
}

TEST(Granting, HoldsNoMoreThanTheStatusCan) {
  auto policy = a_fleet_policy().limits(5000);
  Seen seen = seen_by(policy);
  for (int i = 0; i < 1001; ++i) seen.with(asking(fmt::format("m{}", i)));

  const Plan plan = seen.plan();

  EXPECT_THAT(plan.grants, SizeIs(1000));
  EXPECT_EQ(plan.waiting.count, 1);
  EXPECT_THAT(plan.waiting.why, HasSubstr("status.grants or status.buckets is full"));
}

TEST(Granting, LeavesRoomForTheBucketOfEachGrant) {
  auto policy = a_fleet_policy().limits(5000);
  for (int i = 0; i < 1999; ++i) policy.gone(noon(), 1, "ScaleIn", fmt::format("c{}", i));

  const Plan plan = seen_by(policy).with(asking("a")).with(asking("b")).plan();

  EXPECT_THAT(granted_by(plan), ElementsAre("a"));
  EXPECT_EQ(plan.waiting.count, 1);
}

}  // namespace
}  // namespace capstan::controllers::fleetpolicy
