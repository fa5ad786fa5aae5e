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

// Tests are told at noon.
safety::Windows sweeping_at(std::string_view cron) {
  return {.list = {{.cron = *Cron::parse(cron), .duration = 600s, .causes = {safety::Cause::Orphans}}}};
}

TEST(OrphanGrants, TakeTheirPlaceAtOnce) {
  const Plan plan = seen_by(a_fleet_policy().limits(1)).with(asking_for_an_orphan()).plan();

  EXPECT_THAT(orphans_granted_by(plan), ElementsAre("c1"));
  EXPECT_THAT(plan.grants, IsEmpty());
  ASSERT_THAT(plan.buckets, SizeIs(1));
  EXPECT_EQ(plan.buckets[0].reason, "Orphans");
  EXPECT_EQ(plan.buckets[0].cluster_name, "c1");
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
  EXPECT_EQ(plan.waiting.why, "spec.limits[0] (1 within 10m0s in all Clusters) is full");
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

TEST(OrphanGrants, AreGivenOnceAndEndAfterTenMinutes) {
  const auto granted = asking_for_an_orphan().annotated("capstan.dev/fleet-grant", noon().to_string());
  Seen world = seen_by(a_fleet_policy().limits(5)).with(granted);

  EXPECT_THAT(world.plan().actions, IsEmpty());
  EXPECT_EQ(world.plan().recheck, 10min);
  EXPECT_THAT(world.after(10min).plan().actions, ElementsAre(VariantWith<EndOrphanGrant>(testing::_)));
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
