#include "controllers/safety/fleet_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/builders/fleet_policy.h"

namespace capstan::controllers::safety {
namespace {

using builders::a_fleet_policy;
using builders::FleetPolicyBuilder;
using builders::noon;
using testing::StartsWith;
using namespace std::chrono_literals;

FleetPlace in(std::string_view cluster, std::string_view reason = "ScaleIn") {
  return {.cluster = {.namespace_ = "default", .name = std::string(cluster)}, .reason = reason};
}

WorkerCounts workers(std::int32_t in_c1, std::int32_t in_c2) {
  return {.fleet = in_c1 + in_c2, .by_cluster = {{in("c1").cluster, in_c1}, {in("c2").cluster, in_c2}}};
}

// The limit that is full for that deletion; nothing: there is room.
std::optional<std::size_t> full(const FleetPolicyBuilder& builder, const FleetPlace& place,
                                const WorkerCounts& counts = workers(10, 10), Time now = noon()) {
  const api::FleetPolicy policy = builder.build();
  FleetLimits limits(policy.spec, counts);
  limits.count(policy.status.grants);
  limits.count(policy.status.buckets, now);
  return limits.full(place);
}

std::string why_full(const FleetPolicyBuilder& builder, const FleetPlace& place) {
  const api::FleetPolicy policy = builder.build();
  const WorkerCounts counts = workers(10, 10);
  FleetLimits limits(policy.spec, counts);
  limits.count(policy.status.grants);
  limits.count(policy.status.buckets, noon());
  return limits.describe(0, place);
}

IntOrString percent(std::string_view text) { return IntOrString(Text(text)); }

TEST(FleetLimits, CountWhatIsThereAndWhatIsGone) {
  const auto policy = a_fleet_policy().limits(3).granted("a", noon()).gone(noon(), 1);

  EXPECT_EQ(full(policy, in("c1")), std::nullopt);
  EXPECT_EQ(full(FleetPolicyBuilder(policy).gone(noon(), 1), in("c1")), 0U);
}

TEST(FleetLimits, SayWhenAPlaceIsFree) {
  const auto policy =
      a_fleet_policy().limits(2).gone(noon() + Seconds(-300), 1).gone(noon() + Seconds(-60), 1);

  EXPECT_EQ(why_full(policy, in("c1")),
            "spec.limits[0] (2 within 10m0s in all Clusters) is full until 2026-01-01T12:06:00Z");
  EXPECT_EQ(why_full(FleetPolicyBuilder(policy).granted("a", noon()), in("c1")),
            "spec.limits[0] (2 within 10m0s in all Clusters) is full until 2026-01-01T12:10:00Z");
}

TEST(FleetLimits, SayThatAMachineHasToGoFirst) {
  EXPECT_EQ(
      why_full(a_fleet_policy().limits(1).granted("a", noon()), in("c1")),
      "spec.limits[0] (1 within 10m0s in all Clusters) is full, with Machines that were allowed to go and "
      "are still there");
}

TEST(FleetLimits, OfEachClusterNameTheTimeOfThatCluster) {
  const auto policy = a_fleet_policy().limits_each_cluster(1).gone(noon(), 1).gone(noon() + Seconds(-300), 1,
                                                                                   "ScaleIn", "c2");

  EXPECT_EQ(why_full(policy, in("c1")),
            "spec.limits[0] (1 within 10m0s in each Cluster) is full until 2026-01-01T12:11:00Z");
}

TEST(FleetLimits, OfTheFleetAreOneForAllClusters) {
  EXPECT_EQ(full(a_fleet_policy().limits(1).granted("a", noon()), in("c2")), 0U);
}

TEST(FleetLimits, OfEachClusterLeaveTheOthersAlone) {
  const auto policy = a_fleet_policy().limits_each_cluster(1).granted("a", noon());

  EXPECT_EQ(full(policy, in("c1")), 0U);
  EXPECT_EQ(full(policy, in("c2")), std::nullopt);
}

TEST(FleetLimits, CountTheReasonsThatTheyName) {
  const auto policy = a_fleet_policy()
                          .limits(IntOrString(1), 600s, {"Rollout"})
                          .granted("a", noon(), "Rollout")
                          .granted("b", noon(), "Remediation");

  EXPECT_EQ(full(policy, in("c1", "Rollout")), 0U);
  EXPECT_EQ(full(policy, in("c1", "Remediation")), std::nullopt);
}

TEST(FleetLimits, NeedAPlaceInEachOfThem) {
  const auto policy = a_fleet_policy().limits(5).limits_each_cluster(1).granted("a", noon());

  EXPECT_EQ(full(policy, in("c1")), 1U);
}

TEST(FleetLimits, OfZeroLetNoneBeginAndOfAllLetAll) {
  EXPECT_EQ(full(a_fleet_policy().limits(0), in("c1")), 0U);
  EXPECT_EQ(full(a_fleet_policy().limits(percent("0%"), 600s), in("c1")), 0U);
  EXPECT_EQ(full(a_fleet_policy().limits(percent("100%"), 600s).gone(noon(), 19), in("c1")), std::nullopt);
  EXPECT_EQ(full(a_fleet_policy().limits(percent("100%"), 600s).gone(noon(), 20), in("c1")), 0U);
}

TEST(FleetLimits, InPercentAreOfTheWorkersRoundedUp) {
  const auto of_the_fleet = a_fleet_policy().limits(percent("10%"), 600s);
  const auto of_each = a_fleet_policy().limits_each_cluster(percent("10%"), 600s);

  EXPECT_EQ(full(FleetPolicyBuilder(of_the_fleet).gone(noon(), 2), in("c1"), workers(11, 10)), std::nullopt);
  EXPECT_EQ(full(FleetPolicyBuilder(of_the_fleet).gone(noon(), 3), in("c1"), workers(11, 10)), 0U);
  EXPECT_EQ(full(FleetPolicyBuilder(of_each).gone(noon(), 1), in("c1"), workers(11, 10)), std::nullopt);
  EXPECT_EQ(full(FleetPolicyBuilder(of_each).gone(noon(), 2), in("c1"), workers(11, 10)), 0U);
}

// Bad input: a percentage of nothing. A Machine that asks is one of them; a VM that no Machine has is not.
TEST(FleetLimits, OfAShareOfNothingAreOfOne) {
  const auto of_each = a_fleet_policy().limits_each_cluster(percent("10%"), 600s);

  EXPECT_EQ(full(of_each, in("c1", "Orphans"), workers(0, 10)), std::nullopt);
  EXPECT_EQ(full(FleetPolicyBuilder(of_each).gone(noon(), 1), in("c1", "Orphans"), workers(0, 10)), 0U);
  EXPECT_EQ(full(a_fleet_policy().limits(percent("0%"), 600s), in("c1", "Orphans"), workers(0, 0)), 0U);
}

TEST(FleetLimits, ForgetABucketWhenItsWholeMinuteHasLeftTheWindow) {
  const auto policy = a_fleet_policy().limits(1, 600s).gone(noon(), 1);

  EXPECT_EQ(full(policy, in("c1"), {}, noon() + 659s), 0U);
  EXPECT_EQ(full(policy, in("c1"), {}, noon() + 660s), std::nullopt);
}

TEST(FleetLimits, CountAMachineOnItsWayOutWhateverTheWindow) {
  EXPECT_EQ(full(a_fleet_policy().limits(1, 60s).granted("a", noon()), in("c1"), {}, noon() + 3600s), 0U);
}

TEST(FleetLimits, ThatMeanNothingLetNoneBegin) {
  EXPECT_EQ(full(a_fleet_policy().limits(percent("many"), 600s), in("c1")), 0U);
}

TEST(FleetLimits, AreNamedWithWhatTheySay) {
  const api::FleetPolicy policy = a_fleet_policy().limits(1).limits_each_cluster(percent("5%"), 3600s);
  const WorkerCounts none;
  const FleetLimits limits(policy.spec, none);

  EXPECT_THAT(limits.describe(0, in("c1")), StartsWith("spec.limits[0] (1 within 10m0s in all Clusters) "));
  EXPECT_THAT(limits.describe(1, in("c1")), StartsWith("spec.limits[1] (5% within 1h0m0s in each Cluster) "));
}

}  // namespace
}  // namespace capstan::controllers::safety
