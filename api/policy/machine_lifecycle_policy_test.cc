#include "api/policy/machine_lifecycle_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/policy/machine_lifecycle_policy_rules.h"
#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "api/schema/validate.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::api {
namespace {

using builders::a_policy;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kDocument = R"({
  "apiVersion": "policy.capstan.dev/v1alpha1",
  "kind": "MachineLifecyclePolicy",
  "metadata": {"name": "p", "namespace": "default"},
  "spec": {
    "selector": {"matchLabels": {"team": "a"}},
    "health": {"sharedCause": {"windowSeconds": 60, "thresholdPercent": 40, "minimumTargets": 5}},
    "drain": {"machinePools": true}
  },
  "status": {
    "conditions": [{"type": "Selecting", "status": "True", "reason": "Selected", "message": "",
                    "lastTransitionTime": "2026-01-01T12:00:00Z"}],
    "selected": {"machineDeployments": 1, "machineSets": 2, "machinePools": 0},
    "observedGeneration": 3
  }
})";

TEST(MachineLifecyclePolicy, SurvivesARoundTrip) {
  const auto policy = decode<MachineLifecyclePolicy>(kDocument);
  ASSERT_TRUE(policy) << policy.error().describe();

  EXPECT_EQ(to_json(*policy), boost::json::parse(kDocument));
  EXPECT_EQ(policy->spec.health.shared_cause->threshold_percent, 40);
  EXPECT_EQ(policy->spec.drain.machine_pools, true);
}

TEST(MachineLifecyclePolicy, LeavesEverythingOffThatIsNotAskedFor) {
  const MachineLifecyclePolicy policy = a_policy("p").selecting("team", "a");

  EXPECT_FALSE(policy.spec.health.shared_cause);
  EXPECT_FALSE(policy.spec.drain.machine_pools.value_or(false));
  EXPECT_THAT(validate(policy), IsEmpty());
}

TEST(MachineLifecyclePolicy, RefusesShareAndWindowThatMakeNoSense) {
  const auto refused = [](const SharedCause& cause) {
    return !validate(a_policy("p").selecting("team", "a").shared_cause(cause).build()).empty();
  };

  EXPECT_FALSE(refused({}));
  EXPECT_FALSE(refused({.window_seconds = 60, .threshold_percent = 100, .minimum_targets = 2}));
  EXPECT_TRUE(refused({.window_seconds = 0}));
  EXPECT_TRUE(refused({.threshold_percent = 0}));
  EXPECT_TRUE(refused({.threshold_percent = 101}));
  EXPECT_TRUE(refused({.minimum_targets = 1}));
}

TEST(MachineLifecyclePolicy, RefusesASelectorNobodyUnderstands) {
  EXPECT_THAT(validate(a_policy("p").selecting("team", "a").build(), nullptr), IsEmpty());
  EXPECT_THAT(validate(a_policy("p").selecting_everything().build(), nullptr), IsEmpty());

  const auto odd = a_policy("p").with([](MachineLifecyclePolicy& policy) {
    policy.spec.selector.match_expressions.push_back({.key = "team"_text, .operator_ = "Near"_text});
  });

  EXPECT_THAT(validate(odd.build(), nullptr), Not(IsEmpty()));
}

}  // namespace
}  // namespace capstan::api
