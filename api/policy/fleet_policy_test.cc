#include "api/policy/fleet_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/policy/fleet_policy_rules.h"
#include "api/schema/decode.h"
#include "api/schema/defaults.h"
#include "api/schema/encode.h"
#include "api/schema/validate.h"
#include "test/builders/fleet_policy.h"

namespace capstan::api {
namespace {

using builders::a_fleet_policy;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kDocument = R"({
  "apiVersion": "policy.capstan.dev/v1alpha1",
  "kind": "FleetPolicy",
  "metadata": {"name": "fleet"},
  "spec": {
    "limits": [{"scope": "Cluster", "reasons": ["Rollout"], "max": "10%", "windowSeconds": 3600},
               {"scope": "Fleet", "reasons": ["Remediation"], "max": 5, "windowSeconds": 600}],
    "orphans": {"action": "Delete", "periodSeconds": 300},
    "windows": [{"cron": "0 2 * * *", "durationSeconds": 3600, "timeZone": "UTC", "intents": ["Rollout"]}]
  },
  "status": {
    "conditions": [{"type": "Applied", "status": "True", "reason": "Applied", "message": "",
                    "lastTransitionTime": "2026-01-01T12:00:00Z"}],
    "waiting": 2,
    "inFlight": 1,
    "grants": [{"namespace": "default", "name": "a", "uid": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
                "clusterName": "c1", "reason": "Rollout", "grantedAt": "2026-01-01T12:00:30Z"}],
    "buckets": [{"minute": "2026-01-01T12:00:00Z", "namespace": "default", "clusterName": "c1",
                 "reason": "Rollout", "count": 3}],
    "observedGeneration": 3
  }
})";

TEST(FleetPolicy, SurvivesARoundTrip) {
  const auto policy = decode<FleetPolicy>(kDocument);
  ASSERT_TRUE(policy) << policy.error().describe();

  EXPECT_EQ(to_json(*policy), boost::json::parse(kDocument));
  EXPECT_TRUE(policy->spec.limits[0].is_per_cluster());
  EXPECT_TRUE(policy->spec.orphans->deletes());
}

// What an API server stores of a limit of which a user wrote the number alone.
TEST(FleetPolicy, ALimitCountsAllReasonsInAllClustersForTenMinutes) {
  FleetPolicy policy = a_fleet_policy();
  policy.spec.limits.push_back({.max = IntOrString(1)});

  apply_defaults(policy);

  EXPECT_EQ(policy.spec.limits[0].scope, "Fleet");
  EXPECT_EQ(policy.spec.limits[0].window(), Seconds(600));
  EXPECT_THAT(policy.spec.limits[0].reasons, SizeIs(5));
}

TEST(FleetPolicy, ReportsOrphansUnlessItSaysDelete) {
  EXPECT_FALSE(FleetOrphans().deletes());
  EXPECT_FALSE(FleetOrphans{.action = "Report"_text}.deletes());
}

TEST(FleetPolicyRules, AllowNoneAndAll) {
  EXPECT_THAT(validate(a_fleet_policy().limits(0), nullptr), IsEmpty());
  EXPECT_THAT(validate(a_fleet_policy().limits(IntOrString("0%"_text), Seconds(60)), nullptr), IsEmpty());
  EXPECT_THAT(validate(a_fleet_policy().limits(IntOrString("100%"_text), Seconds(60)), nullptr), IsEmpty());
}

TEST(FleetPolicyRules, RefuseWhatIsNoNumberAndNoShare) {
  for (const auto text : {"101%", "-1%", "ten", "10"}) {
    const auto causes =
        validate(a_fleet_policy().limits(1).limits(IntOrString(Text(text)), Seconds(60)), nullptr);
    ASSERT_THAT(causes, SizeIs(1)) << text;
    EXPECT_EQ(causes.front().field, "spec.limits[1].max");
  }
  EXPECT_THAT(validate(a_fleet_policy().limits(-1), nullptr), SizeIs(1));
}

TEST(FleetPolicyRules, TheOneThatIsCalledFleetCounts) {
  EXPECT_TRUE(is_the_fleet_policy(a_fleet_policy()));
  EXPECT_FALSE(is_the_fleet_policy(a_fleet_policy("other")));
}

}  // namespace
}  // namespace capstan::api
