// VMs that are no object's among those that ask the FleetPolicy for a place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/fleetpolicy/seen_fixture.h"

namespace capstan::controllers::fleetpolicy {
namespace {

using builders::a_fleet_policy;
using builders::noon;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::VariantWith;
using namespace std::chrono_literals;

// Every test begins at noon, outside the window of two in the morning.
safety::Windows sweeping_at(std::string_view cron) {
  return {.list = {{.cron = *Cron::parse(cron), .duration = 600s, .causes = {safety::Cause::Orphans}}}};
}

TEST(OrphanGrants, TakeTheirPlaceAtOnce) {
  const Plan plan = seen_by(a_fleet_policy().limits(1)).with(asking_for_an_orphan()).plan();

  EXPECT_THAT(orphans_granted_by(plan), ElementsAre("c1"));
  EXPECT_THAT(plan.buckets, IsEmpty());
  ASSERT_THAT(plan.grants, SizeIs(1));
  EXPECT_EQ(plan.grants[0].reason, "Orphans");
  EXPECT_EQ(plan.grants[0].name, "c1");
  EXPECT_EQ(plan.grants[0].cluster_name, "c1");
}

TEST(OrphanGrants, ComeInLineWithMachines) {
  const Plan plan = seen_by(a_fleet_policy().limits(2))
                        .with(asking("a", 30s))
                        .with(asking_for_an_orphan("c1", 20s))
                        .with(asking("b", 10s))
                        .plan();

  EXPECT_THAT(granted_by(plan), ElementsAre("a"));
  EXPECT_THAT(orphans_granted_by(plan), ElementsAre("c1"));
  EXPECT_EQ(plan.waiting.longest.called, "Machine default/b");
}

TEST(OrphanGrants, WaitWhileTheLimitIsFullAndSaySo) {
  const auto policy = a_fleet_policy().limits(1).gone(noon(), 1);
  const Plan plan = seen_by(policy).with(asking_for_an_orphan()).plan();

  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_EQ(plan.waiting.longest.called, "VM of Cluster default/c1");
  EXPECT_EQ(plan.waiting.why,
            "spec.limits[0] (1 within 10m0s in all Clusters) is full until 2026-01-01T12:11:00Z");
}

TEST(OrphanGrants, AreNotCountedByALimitOfOtherReasons) {
  const auto policy = a_fleet_policy().limits(IntOrString(0), 600s, {"Rollout"});

  EXPECT_THAT(orphans_granted_by(seen_by(policy).with(asking_for_an_orphan()).plan()), ElementsAre("c1"));
}

// Bad input: a share of a Cluster that has no Machine left.
TEST(OrphanGrants, OfAClusterWithoutMachinesAreAShareOfOne) {
  const auto ten_percent = IntOrString("10%"_text);
  const auto policy = a_fleet_policy().limits_each_cluster(ten_percent, 600s);

  EXPECT_THAT(orphans_granted_by(seen_by(policy).with(asking_for_an_orphan()).plan()), ElementsAre("c1"));
  const auto spent = a_fleet_policy().limits_each_cluster(ten_percent, 600s).gone(noon(), 1, "Orphans");
  EXPECT_THAT(orphans_granted_by(seen_by(spent).with(asking_for_an_orphan()).plan()), IsEmpty());
}

TEST(OrphanGrants, WaitOutsideTheirWindowAndStandInNoLine) {
  const auto shut = [](Observation& seen) { seen.windows = sweeping_at("0 2 * * *"); };
  const Plan plan = seen_by(a_fleet_policy().limits(1)).with(asking_for_an_orphan()).where(shut).plan();

  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_EQ(plan.waiting.count, 0);
  EXPECT_EQ(plan.recheck, 14h);
}

TEST(OrphanGrants, AreGivenInTheirWindow) {
  const auto open = [](Observation& seen) { seen.windows = sweeping_at("0 12 * * *"); };
  const Plan plan = seen_by(a_fleet_policy().limits(1)).with(asking_for_an_orphan()).where(open).plan();

  EXPECT_THAT(orphans_granted_by(plan), ElementsAre("c1"));
}

TEST(OrphanGrants, AreNotGivenWhileTheFleetIsFrozen) {
  const auto frozen = [](Observation& seen) { seen.frozen = "incident 7"; };

  EXPECT_THAT(seen_by(a_fleet_policy().limits(1)).with(asking_for_an_orphan()).where(frozen).plan().actions,
              IsEmpty());
}

TEST(OrphanGrants, AreGivenOnceAndGivenBackAfterTenMinutes) {
  const auto policy = a_fleet_policy().limits(1).granted_for_an_orphan(noon());
  const auto shown = asking_for_an_orphan().annotated("capstan.dev/fleet-grant", noon().to_string());
  Seen world = seen_by(policy).with(shown).with(asking("a"));

  EXPECT_THAT(world.plan().actions, IsEmpty());
  EXPECT_EQ(world.plan().recheck, 10min);
  const Plan late = world.after(10min).plan();
  EXPECT_THAT(late.actions, ElementsAre(VariantWith<EndOrphanGrant>(testing::_)));
  EXPECT_THAT(held_by(late), ElementsAre("c1")) << "until the Cluster shows none the provider may use it";
  EXPECT_THAT(granted_by(seen_by(policy).with(asking("a")).with(builders::a_cluster()).plan()),
              ElementsAre("a"));
}

TEST(OrphanGrants, AreWrittenAgainWhenTheWriteWasLost) {
  const auto policy = a_fleet_policy().limits(1).granted_for_an_orphan(noon());
  const Plan plan = seen_by(policy).with(asking_for_an_orphan()).plan();

  EXPECT_THAT(orphans_granted_by(plan), ElementsAre("c1"));
  EXPECT_THAT(held_by(plan), ElementsAre("c1"));
}

// A grant may be used late: counted from when it was given, more would go within a window than its limit
// allows.
TEST(OrphanGrants, CountFromWhenTheyAreUsed) {
  const auto given = a_fleet_policy().limits(1, 60s).granted_for_an_orphan(noon());
  const Plan used = seen_by(given).with(with_grant_for_an_orphan()).after(599s).plan();

  EXPECT_THAT(used.actions, ElementsAre(VariantWith<EndOrphanGrant>(testing::_)));
  ASSERT_THAT(used.grants, SizeIs(1));
  EXPECT_EQ(used.grants[0].begun_at, noon() + 599s);

  const auto begun = a_fleet_policy().limits(1, 60s).granted_for_an_orphan(noon()).begun(noon() + 599s);
  const Plan over = seen_by(begun).with(asking_for_an_orphan()).after(601s).plan();
  EXPECT_THAT(over.grants, IsEmpty());
  EXPECT_THAT(over.actions, IsEmpty());
  ASSERT_THAT(over.buckets, SizeIs(1));
  EXPECT_EQ(over.buckets[0].minute, noon() + 540s);
}

// As of a Machine that is gone.
TEST(OrphanGrants, OfAClusterThatIsGoneCountAsUsed) {
  const auto policy = a_fleet_policy().limits(1).granted_for_an_orphan(noon());

  EXPECT_THAT(seen_by(policy).plan().buckets, SizeIs(1));
}

TEST(OrphanGrants, ThatNoStatusHoldsEnd) {
  const Plan plan = seen_by(a_fleet_policy().limits(1)).with(with_grant_for_an_orphan()).plan();

  EXPECT_THAT(plan.actions, ElementsAre(VariantWith<EndOrphanGrant>(testing::_)));
  EXPECT_THAT(plan.grants, IsEmpty());
}

TEST(OrphanGrants, AreNoneOfAClusterThatGoesOrThatAsksForOtherReasons) {
  const auto rollout =
      builders::a_cluster().annotated("capstan.dev/fleet-request", "Rollout~2026-01-01T12:00:00Z");
  const Plan plan =
      seen_by(a_fleet_policy().limits(5)).with(asking_for_an_orphan("c2").deleting()).with(rollout).plan();

  EXPECT_THAT(plan.actions, IsEmpty());
}

// Only a VM that is no object's asks so.
TEST(OrphanGrants, AreNotForMachines) {
  EXPECT_THAT(seen_by(a_fleet_policy().limits(5)).with(asking("a", 0s, "Orphans")).plan().actions, IsEmpty());
}

}  // namespace
}  // namespace capstan::controllers::fleetpolicy
