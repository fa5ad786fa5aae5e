#include "controllers/fleetpolicy/buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/builders/fleet_policy.h"

namespace capstan::controllers::fleetpolicy {
namespace {

using builders::a_fleet_policy;
using builders::noon;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

api::FleetGrant grant(Time at, std::string_view reason = "ScaleIn", std::string_view cluster = "c1") {
  return a_fleet_policy().granted("a", noon(), reason, cluster).begun(at).build().status.grants[0];
}

TEST(Buckets, GatherMachinesOfOneMinuteClusterAndReason) {
  const api::FleetPolicy policy = a_fleet_policy().limits(1).gone(noon(), 2);
  Buckets buckets(policy.status.buckets, policy.spec, noon() + 120s);

  buckets.add(grant(noon() + 59s));
  buckets.add(grant(noon() + 60s));
  buckets.add(grant(noon(), "Rollout"));
  buckets.add(grant(noon(), "ScaleIn", "c2"));

  std::vector<std::int32_t> counts;
  for (const auto& bucket : buckets.all()) counts.push_back(bucket.count);
  EXPECT_THAT(counts, ElementsAre(1, 3, 1, 1));
}

TEST(Buckets, CountADeletionThatWasNotSeenToBeginFromNowOn) {
  const api::FleetPolicy policy = a_fleet_policy().limits(1, 60s).granted("a", noon());
  Buckets buckets({}, policy.spec, noon() + 599s);

  buckets.add(policy.status.grants[0]);

  ASSERT_THAT(buckets.all(), SizeIs(1));
  EXPECT_EQ(buckets.all()[0].minute, noon() + 540s);
}

TEST(Buckets, AreLeftOutOnceTheLongestWindowHasPassed) {
  const api::FleetPolicy policy = a_fleet_policy().limits(1, 60s).limits(1, 3600s).gone(noon(), 1);
  const auto at = [&](Seconds span) {
    return Buckets(policy.status.buckets, policy.spec, noon() + span).all().size();
  };

  EXPECT_EQ(at(3659s), 1U);
  EXPECT_EQ(at(3660s), 0U);
}

TEST(Buckets, OfAPolicyWithoutLimitsAreNone) {
  const api::FleetPolicy policy = a_fleet_policy().gone(noon(), 1);
  Buckets buckets(policy.status.buckets, policy.spec, noon() + 60s);

  buckets.add(grant(noon()));

  EXPECT_THAT(buckets.all(), IsEmpty());
  EXPECT_EQ(buckets.next_change(), std::nullopt);
}

TEST(Buckets, TellWhenTheFirstOneLeavesAWindow) {
  const api::FleetPolicy policy =
      a_fleet_policy().limits(1, 60s).limits(1, 600s).gone(noon(), 1).gone(noon() + 60s, 1);
  const Buckets buckets(policy.status.buckets, policy.spec, noon() + 130s);

  EXPECT_THAT(buckets.all(), SizeIs(2));
  EXPECT_EQ(buckets.next_change(), 50s);
}

TEST(Buckets, TellWhenTheLastOneIsOver) {
  const api::FleetPolicy policy =
      a_fleet_policy().limits(1, 60s).limits(1, 600s).gone(noon(), 1).gone(noon() + 60s, 1);

  EXPECT_EQ(Buckets(policy.status.buckets, policy.spec, noon() + 130s).end(), 590s);
  EXPECT_EQ(Buckets({}, policy.spec, noon()).end(), std::nullopt);
}

}  // namespace
}  // namespace capstan::controllers::fleetpolicy
