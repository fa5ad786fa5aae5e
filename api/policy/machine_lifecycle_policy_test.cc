#include "api/policy/machine_lifecycle_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/policy/machine_lifecycle_policy_rules.h"
#include "api/schema/decode.h"
#include "api/schema/defaults.h"
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
    "health": {"sharedCause": {"windowSeconds": 60, "thresholdPercent": 40, "minimumTargets": 5},
               "nodeChecks": {"unhealthyNodeConditions": [{"type": "Fan", "badStatuses": ["False"]}],
                              "requireTaintsGone": [{"key": "example.com/wait", "effect": "NoExecute"}],
                              "timeoutSeconds": 30, "disableTimeout": true}},
    "drain": {"machinePools": true, "onTimeout": {"action": "Continue", "timeoutSeconds": 600},
              "notReadyForce": {"afterSeconds": 60}},
    "creation": {"timeoutSeconds": 60},
    "replacement": {"maxInFlight": "20%", "countStates": ["Failed"]},
    "scaleIn": {"expirySeconds": 10},
    "rollout": {"revisionHistoryLimit": 3, "progressDeadlineSeconds": 60, "slowStart": 2, "recreate": {},
                "inPlace": {"mode": "Manual", "timeoutSeconds": 60}},
    "preservation": {"autoMax": 2, "timeoutSeconds": 3600, "onRecovery": "Release"}
  },
  "status": {
    "conditions": [{"type": "Selecting", "status": "True", "reason": "Selected", "message": "",
                    "lastTransitionTime": "2026-01-01T12:00:00Z"}],
    "selected": {"machineDeployments": 1, "machineSets": 2, "machinePools": 0},
    "lifecycle": {"machines": {"creating": 0, "createRetrying": 1, "joining": 0, "running": 5, "unhealthy": 2,
                               "inPlaceUpdating": 0, "inPlaceUpdateFailed": 0, "failed": 1, "terminating": 0},
                  "inFlight": 2, "failedMachines": ["web-1"], "preservedMachines": ["web-2"]},
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
  EXPECT_FALSE(policy.spec.reports_lifecycle());
  EXPECT_THAT(validate(policy), IsEmpty());
}

TEST(MachineLifecyclePolicy, APolicyOfBeforeAsksForNoLifeCycle) {
  EXPECT_FALSE(a_policy("p").shared_cause().drains_machine_pools().build().spec.reports_lifecycle());
  EXPECT_FALSE(a_policy("p").rollout().build().spec.reports_lifecycle());
  EXPECT_TRUE(a_policy("p").node_checks().build().spec.reports_lifecycle());
  EXPECT_TRUE(a_policy("p").creation_timeout(60).build().spec.reports_lifecycle());
  EXPECT_TRUE(a_policy("p").max_in_flight(IntOrString(1)).build().spec.reports_lifecycle());
  EXPECT_TRUE(a_policy("p").scale_in().build().spec.reports_lifecycle());
  EXPECT_TRUE(a_policy("p").preservation().build().spec.reports_lifecycle());
}

// What an API server stores of a group that is switched on with {}.
TEST(MachineLifecyclePolicy, AGroupWithoutFieldsGetsTheDefaultsOfItsSchema) {
  MachineLifecyclePolicy policy =
      a_policy("p").selecting("team", "a").node_checks().scale_in().rollout().preservation();
  policy.spec.creation.emplace();
  policy.spec.replacement.emplace();
  policy.spec.drain.on_timeout.emplace();
  policy.spec.drain.not_ready_force.emplace();

  apply_defaults(policy);

  EXPECT_EQ(to_json(policy).at("spec"), boost::json::parse(R"({
    "selector": {"matchLabels": {"team": "a"}},
    "health": {"nodeChecks": {
      "unhealthyNodeConditions": [
        {"type": "KernelDeadlock", "badStatuses": ["True", "Unknown"]},
        {"type": "ReadonlyFilesystem", "badStatuses": ["True", "Unknown"]},
        {"type": "DiskPressure", "badStatuses": ["True", "Unknown"]},
        {"type": "NetworkUnavailable", "badStatuses": ["True", "Unknown"]}],
      "requireTaintsGone": [{"key": "node.gardener.cloud/critical-components-not-ready", "effect": "NoSchedule"}],
      "timeoutSeconds": 600, "disableTimeout": false}},
    "drain": {"onTimeout": {"action": "ForceDelete", "timeoutSeconds": 7200}, "notReadyForce": {"afterSeconds": 300}},
    "creation": {"timeoutSeconds": 1200, "resourceExhaustedRetrySeconds": 600},
    "replacement": {"maxInFlight": 1, "countStates":
      ["Creating", "CreateRetrying", "Joining", "InPlaceUpdating", "InPlaceUpdateFailed", "Failed", "Terminating"]},
    "scaleIn": {"expirySeconds": 3600},
    "rollout": {"revisionHistoryLimit": 10, "progressDeadlineSeconds": 600, "scaleDownDisabled": true},
    "preservation": {"autoMax": 0, "timeoutSeconds": 259200, "onRecovery": "Keep"}})"));
}

TEST(MachineLifecyclePolicy, RefusesAPreservationThatMakesNoSense) {
  const auto refused = [](const PolicyPreservation& preservation) {
    return !validate(a_policy("p").selecting("team", "a").preservation(preservation).build()).empty();
  };

  EXPECT_FALSE(refused({}));
  EXPECT_FALSE(refused({.auto_max = 3, .timeout_seconds = 2'592'000, .on_recovery = "Release"_text}));
  EXPECT_TRUE(refused({.auto_max = -1}));
  EXPECT_TRUE(refused({.timeout_seconds = 0}));
  EXPECT_TRUE(refused({.timeout_seconds = 2'592'001}));
  EXPECT_TRUE(refused({.on_recovery = "Forget"_text}));
}

TEST(MachineLifecyclePolicy, RefusesTimesConditionsAndTaintsThatMakeNoSense) {
  const auto refused = [](const NodeChecks& checks) {
    return !validate(a_policy("p").selecting("team", "a").node_checks(checks).build()).empty();
  };
  const auto creation_refused = [](std::int32_t seconds) {
    return !validate(a_policy("p").selecting("team", "a").creation_timeout(seconds).build()).empty();
  };

  EXPECT_FALSE(refused({}));
  EXPECT_FALSE(refused({.timeout_seconds = 1}));
  EXPECT_TRUE(refused({.timeout_seconds = 0}));
  EXPECT_TRUE(refused({.timeout_seconds = 604'801}));
  EXPECT_TRUE(refused({.unhealthy_node_conditions = {{.type = "Fan"_text, .bad_statuses = {"Bad"_text}}}}));
  EXPECT_TRUE(refused({.unhealthy_node_conditions = {{.type = "Fan"_text, .bad_statuses = {"True"_text}},
                                                     {.type = "Fan"_text, .bad_statuses = {"False"_text}}}}));
  EXPECT_TRUE(refused({.require_taints_gone = {{.key = "a"_text, .effect = "Never"_text}}}));
  EXPECT_FALSE(creation_refused(604'800));
  EXPECT_TRUE(creation_refused(0));
  EXPECT_TRUE(creation_refused(604'801));
}

TEST(MachineLifecyclePolicy, RefusesALimitThatIsNone) {
  const auto causes = [](IntOrString limit) {
    return validate(a_policy("p").selecting("team", "a").max_in_flight(limit).build(), nullptr);
  };

  for (const auto& good :
       {IntOrString(1), IntOrString(500), IntOrString("1%"_text), IntOrString("100%"_text)})
    EXPECT_THAT(causes(good), IsEmpty()) << good.to_string();
  for (const auto& bad : {IntOrString(0), IntOrString(-1), IntOrString("0%"_text), IntOrString("101%"_text),
                          IntOrString("many"_text), IntOrString("3"_text)})
    EXPECT_THAT(causes(bad), Not(IsEmpty())) << bad.to_string();
  EXPECT_EQ(causes(IntOrString(0)).front().field, "spec.replacement.maxInFlight");
}

TEST(MachineLifecyclePolicy, RefusesRolloutsThatMakeNoSense) {
  const auto causes = [](const PolicyRollout& rollout) {
    return validate(a_policy("p").selecting("team", "a").rollout(rollout).build());
  };

  EXPECT_THAT(causes({}), IsEmpty());
  EXPECT_THAT(causes({.revision_history_limit = 0, .progress_deadline_seconds = 1, .slow_start = 1}),
              IsEmpty());
  EXPECT_THAT(causes({.revision_history_limit = 100, .recreate = PolicyRecreate()}), IsEmpty());
  EXPECT_THAT(causes({.revision_history_limit = -1}), Not(IsEmpty()));
  EXPECT_THAT(causes({.revision_history_limit = 101}), Not(IsEmpty()));
  EXPECT_THAT(causes({.progress_deadline_seconds = 0}), Not(IsEmpty()));
  EXPECT_THAT(causes({.progress_deadline_seconds = 604'801}), Not(IsEmpty()));
  EXPECT_THAT(causes({.slow_start = 0}), Not(IsEmpty()));
}

TEST(MachineLifecyclePolicy, RefusesASlowStartWhereMachinesAreRecreated) {
  const auto causes = [](const PolicyRollout& rollout) {
    return validate(a_policy("p").selecting("team", "a").rollout(rollout).build(), nullptr);
  };

  EXPECT_THAT(causes({.slow_start = 1}), IsEmpty());
  EXPECT_THAT(causes({.recreate = PolicyRecreate()}), IsEmpty());
  const auto both = causes({.slow_start = 1, .recreate = PolicyRecreate()});
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(both.front().field, "spec.rollout.slowStart");
  EXPECT_TRUE(both.front().message.contains("leave out one of the two")) << both.front().message;
}

TEST(MachineLifecyclePolicy, RefusesUpdatesInPlaceThatMakeNoSense) {
  const auto causes = [](const PolicyRollout& rollout) {
    return validate(a_policy("p").selecting("team", "a").rollout(rollout).build());
  };

  EXPECT_THAT(causes({.in_place = PolicyInPlace()}), IsEmpty());
  EXPECT_THAT(causes({.slow_start = 1, .in_place = PolicyInPlace{.mode = "Manual"_text}}), IsEmpty());
  EXPECT_THAT(causes({.in_place = PolicyInPlace{.mode = "Sometimes"_text}}), Not(IsEmpty()));
  EXPECT_THAT(causes({.in_place = PolicyInPlace{.timeout_seconds = 0}}), Not(IsEmpty()));
  EXPECT_THAT(causes({.in_place = PolicyInPlace{.timeout_seconds = 604'801}}), Not(IsEmpty()));
}

TEST(MachineLifecyclePolicy, RefusesUpdatesInPlaceWhereMachinesAreRecreated) {
  const auto policy =
      a_policy("p")
          .selecting("team", "a")
          .rollout({.recreate = PolicyRecreate(), .in_place = PolicyInPlace{.mode = "Auto"_text}});

  const auto causes = validate(policy.build(), nullptr);

  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes.front().field, "spec.rollout.inPlace");
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

TEST(MachineLifecyclePolicy, RefusesActionsAndTimesOfDrainsThatMakeNoSense) {
  const auto causes = [](const MachineLifecyclePolicy& policy) { return validate(policy); };
  const auto odd_action = a_policy("p").selecting("team", "a").drain_on_timeout("Delete").build();
  const auto no_timeout =
      a_policy("p").selecting("team", "a").drain_on_timeout("").with([](MachineLifecyclePolicy& policy) {
        policy.spec.drain.on_timeout->timeout_seconds = 0;
      });
  const auto no_time = a_policy("p").selecting("team", "a").not_ready_force({.after_seconds = 0}).build();

  EXPECT_THAT(causes(a_policy("p").selecting("team", "a").drain_on_timeout("Continue").build()), IsEmpty());
  ASSERT_THAT(causes(odd_action), Not(IsEmpty()));
  EXPECT_EQ(causes(odd_action).front().field, "spec.drain.onTimeout.action");
  ASSERT_THAT(causes(no_timeout.build()), Not(IsEmpty()));
  EXPECT_EQ(causes(no_timeout.build()).front().field, "spec.drain.onTimeout.timeoutSeconds");
  ASSERT_THAT(causes(no_time), Not(IsEmpty()));
  EXPECT_EQ(causes(no_time).front().field, "spec.drain.notReadyForce.afterSeconds");
}

TEST(MachineLifecyclePolicy, RefusesWindowsThatNeverOpen) {
  const auto causes = [](std::string_view cron) {
    return validate(a_policy("p")
                        .selecting("team", "a")
                        .with([&](MachineLifecyclePolicy& policy) {
                          policy.spec.windows.push_back({.cron = Text(cron), .duration_seconds = 3600});
                        })
                        .build(),
                    nullptr);
  };

  EXPECT_THAT(causes("0 2 * * SAT"), IsEmpty());
  EXPECT_THAT(causes("0 2 29 2 *"), IsEmpty());
  ASSERT_EQ(causes("0 25 * * *").size(), 1U);
  EXPECT_EQ(causes("0 25 * * *").front().field, "spec.windows[0].cron");
  EXPECT_TRUE(causes("0 25 * * *").front().message.contains("the hour"))
      << causes("0 25 * * *").front().message;
  ASSERT_EQ(causes("0 2 30 2 *").size(), 1U);
  EXPECT_TRUE(causes("0 2 30 2 *").front().message.contains("never")) << causes("0 2 30 2 *").front().message;
}

}  // namespace
}  // namespace capstan::api
