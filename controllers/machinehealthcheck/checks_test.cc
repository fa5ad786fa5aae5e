#include "controllers/machinehealthcheck/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/machinehealthcheck/seen_fixture.h"
#include "controllers/machinehealthcheck/targets.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

using builders::a_machine;
using builders::a_node;
using builders::noon;
using std::chrono::milliseconds;
using NodeState = Target::NodeState;

Target target(const api::Machine& machine, NodeState state = NodeState::None) {
  return {.machine = std::make_shared<const api::Machine>(machine), .node_state = state};
}
Target target(const api::Machine& machine, const api::Node& node) {
  return {.machine = std::make_shared<const api::Machine>(machine),
          .node = std::make_shared<const api::Node>(node),
          .node_state = NodeState::Here};
}

Circumstances running() { return circumstances_of(a_running_cluster(), noon().wall()); }

api::HealthChecks node_check(std::string_view type, std::string_view status, std::int32_t timeout) {
  api::HealthChecks checks;
  checks.unhealthy_node_conditions.push_back(
      {.type = Text(type), .status = Text(status), .timeout_seconds = timeout});
  return checks;
}
api::HealthChecks machine_check(std::string_view type, std::string_view status, std::int32_t timeout) {
  api::HealthChecks checks;
  checks.unhealthy_machine_conditions.push_back(
      {.type = Text(type), .status = Text(status), .timeout_seconds = timeout});
  return checks;
}

TEST(Judge, AMachineWithANodeIsHealthy) {
  EXPECT_EQ(judge(target(a_worker().on_node("n"), a_node("n")), {}, running()).health, Health::Healthy);
  EXPECT_EQ(judge(target(a_worker().on_node("n").deleting(), a_node("n")), {}, running()).health,
            Health::Undecided);
}

TEST(Judge, TheAnnotationMakesAnyMachineSick) {
  const api::Machine machine = a_worker().on_node("n").annotated(api::annotation::kRemediateMachine);
  const api::Cluster young = builders::a_cluster();

  const auto verdict = judge(target(machine, a_node("n")), {}, circumstances_of(young, noon().wall()));

  EXPECT_EQ(verdict.health, Health::Unhealthy);
  EXPECT_EQ(verdict.reason, "HasRemediateAnnotation");
  EXPECT_EQ(verdict.message,
            "Health check failed: marked for remediation via cluster.x-k8s.io/remediate-machine annotation");
  EXPECT_EQ(verdict.old_reason, "HasRemediateMachineAnnotation");
  EXPECT_EQ(verdict.old_message, "Marked for remediation via remediate-machine annotation");
}

TEST(Judge, WorkersAreNotJudgedBeforeTheControlPlaneIsInitialized) {
  auto cluster = builders::a_cluster();
  cluster.condition("InfrastructureReady", "True", "Ready", "", at(-3600));
  const auto when = circumstances_of(cluster, noon().wall());

  EXPECT_EQ(judge(target(a_worker()), {}, when).health, Health::Undecided);
  EXPECT_EQ(judge(target(a_worker().control_plane()), {}, when).health, Health::Unhealthy);
}

TEST(Judge, NobodyIsJudgedBeforeTheInfrastructureIsReady) {
  auto cluster = builders::a_cluster();
  cluster.condition("ControlPlaneInitialized", "True", "Initialized", "", at(-3600));
  const auto when = circumstances_of(cluster, noon().wall());

  EXPECT_EQ(judge(target(a_worker().control_plane()), {}, when).health, Health::Undecided);
  EXPECT_EQ(judge(target(a_worker().on_node("n"), a_node("n")), {}, when).health, Health::Healthy);
}

TEST(Judge, ADeletedNodeIsSickAtOnce) {
  const auto verdict = judge(target(a_worker().on_node("n"), NodeState::Missing), {}, running());

  EXPECT_EQ(verdict.health, Health::Unhealthy);
  EXPECT_EQ(verdict.reason, "NodeDeleted");
  EXPECT_EQ(verdict.message, "Health check failed:\n  * Node n has been deleted");
  EXPECT_EQ(verdict.old_reason, "NodeNotFound");
  EXPECT_EQ(verdict.old_message, "");
}

TEST(Judge, ANodeNobodyIsSureOfIsNoVerdict) {
  EXPECT_EQ(judge(target(a_worker().on_node("n"), NodeState::Unsure), {}, running()).health, Health::Pending);
}

TEST(Startup, TakesTenMinutesUnlessSaidOtherwise) {
  const auto late = judge(target(a_worker().created(at(-601))), {}, running());
  const auto early = judge(target(a_worker().created(at(-600))), {}, running());
  api::HealthChecks short_one;
  short_one.node_startup_timeout_seconds = 30;
  api::HealthChecks never;
  never.node_startup_timeout_seconds = 0;

  EXPECT_EQ(late.reason, "NodeStartupTimeout");
  EXPECT_EQ(late.message, "Health check failed:\n  * Node failed to report startup in 10m0s");
  EXPECT_EQ(late.old_message, "Node failed to report startup in 10m0s");
  EXPECT_EQ(early.health, Health::Pending);
  EXPECT_EQ(early.next_check, milliseconds(1));
  EXPECT_EQ(judge(target(a_worker().created(at(-31))), short_one, running()).health, Health::Unhealthy);
  EXPECT_EQ(judge(target(a_worker()), never, running()).health, Health::Undecided);
}

TEST(Startup, BeginsWhenEverythingIsThere) {
  const auto pending_for = [](const api::Cluster& cluster, const api::Machine& machine) {
    return judge(target(machine), {}, circumstances_of(cluster, noon().wall())).next_check;
  };
  const auto expected = [](int left) { return std::optional<Nanoseconds>(Seconds(left) + milliseconds(1)); };
  const api::Machine old = a_worker();
  auto late_control_plane = builders::a_cluster();
  late_control_plane.condition("ControlPlaneInitialized", "True", "Initialized", "", at(-100))
      .condition("InfrastructureReady", "True", "Ready", "", at(-3600));
  auto late_infrastructure = builders::a_cluster();
  late_infrastructure.condition("ControlPlaneInitialized", "True", "Initialized", "", at(-3600))
      .condition("InfrastructureReady", "True", "Ready", "", at(-200));

  EXPECT_EQ(pending_for(late_control_plane, old), expected(500));
  EXPECT_EQ(pending_for(late_infrastructure, old), expected(400));
  EXPECT_EQ(pending_for(a_running_cluster(), a_worker().created(at(-300))), expected(300));
  EXPECT_EQ(pending_for(a_running_cluster(),
                        a_worker().condition("InfrastructureReady", "True", "Ready", "", at(-50))),
            expected(550));
  EXPECT_EQ(pending_for(a_running_cluster(),
                        a_worker().condition("InfrastructureReady", "False", "No", "", at(-50))),
            std::nullopt);
}

TEST(NodeConditions, AreSickOnceTheyHaveLastedLongEnough) {
  const api::Machine machine = a_worker().on_node("n");
  const auto checks = node_check("Ready", "Unknown", 300);
  const auto after = [&](int seconds) {
    return judge(target(machine, a_node("n").condition("Ready", "Unknown", "", at(-seconds))), checks,
                 running());
  };

  EXPECT_EQ(after(300).health, Health::Pending);
  EXPECT_EQ(after(100).next_check, Seconds(200) + milliseconds(1));
  const auto sick = after(301);
  EXPECT_EQ(sick.health, Health::Unhealthy);
  EXPECT_EQ(sick.reason, "UnhealthyNode");
  EXPECT_EQ(sick.old_reason, "UnhealthyNode");
  EXPECT_THAT(sick.message, testing::HasSubstr("Condition Ready on Node is reporting status Unknown with"));
  EXPECT_THAT(sick.message, testing::HasSubstr("for more than 5m0s"));
}

// After an hour out of reach every Node looks as it did an hour ago.
TEST(NodeConditions, CountUnderAPolicyFromWhenTheClusterWasReachedAgain) {
  const api::Cluster cluster =
      a_running_cluster().condition("RemoteConnectionProbe", "True", "ProbeSucceeded", "", at(-60));
  const api::Node node = a_node("n").condition("Ready", "Unknown", "", at(-3600));
  Target sick = target(a_worker().on_node("n"), node);
  const auto health = [&](const Target& each) {
    return judge(each, node_check("Ready", "Unknown", 300), circumstances_of(cluster, noon().wall())).health;
  };

  EXPECT_EQ(health(sick), Health::Unhealthy);
  sick.policy = std::make_shared<const api::MachineLifecyclePolicy>();
  EXPECT_EQ(health(sick), Health::Pending);
}

TEST(NodeConditions, OfAnotherStatusOrAbsentNeverMatch) {
  const api::Machine machine = a_worker().on_node("n");

  EXPECT_EQ(judge(target(machine, a_node("n")), node_check("Ready", "False", 0), running()).health,
            Health::Healthy);
  EXPECT_EQ(judge(target(machine, a_node("n")), node_check("Odd", "Unknown", 0), running()).health,
            Health::Healthy);
}

TEST(MachineConditions, AreSickOnceTheyHaveLastedLongEnough) {
  const auto checks = machine_check("Fan", "False", 60);
  const auto after = [&](int seconds) {
    return judge(
        target(a_worker().on_node("n").condition("Fan", "False", "Stuck", "", at(-seconds)), a_node("n")),
        checks, running());
  };

  EXPECT_EQ(after(60).health, Health::Pending);
  const auto sick = after(61);
  EXPECT_EQ(sick.reason, "UnhealthyMachine");
  EXPECT_EQ(
      sick.message,
      "Health check failed:\n  * Condition Fan on Machine is reporting status False with reason Stuck for "
      "more than 1m0s");
  EXPECT_EQ(sick.old_reason, "UnhealthyMachine");
}

TEST(MachineConditions, ComeFirstWhenTheNodeIsSickToo) {
  const auto verdict = judge(
      target(a_worker().on_node("n").condition("Fan", "False", "Stuck", "", at(-61)), NodeState::Missing),
      machine_check("Fan", "False", 60), running());

  EXPECT_EQ(verdict.reason, "UnhealthyMachine");
  EXPECT_THAT(verdict.message, testing::EndsWith("1m0s\n  * Node n has been deleted"));
  EXPECT_THAT(verdict.old_message, testing::EndsWith("1m0s; Node n has been deleted"));
}

TEST(Judge, TheSoonestOfSeveralDeadlinesCounts) {
  auto checks = node_check("Ready", "Unknown", 300);
  checks.unhealthy_node_conditions.push_back(
      {.type = "Ready"_text, .status = "Unknown"_text, .timeout_seconds = 200});

  const auto verdict =
      judge(target(a_worker().on_node("n"), a_node("n").condition("Ready", "Unknown", "", at(-150))), checks,
            running());

  EXPECT_EQ(verdict.next_check, Seconds(50) + milliseconds(1));
}

TEST(Targets, AreSelectedAndNotExempt) {
  const auto selector = selector_of(a_check()).value();

  EXPECT_TRUE(is_target(a_worker(), selector));
  EXPECT_FALSE(is_target(a_machine("m"), selector));
  EXPECT_FALSE(is_target(a_worker().paused(), selector));
  EXPECT_FALSE(is_target(a_worker().annotated(api::annotation::kSkipRemediation), selector));
}

TEST(Targets, AnEmptySelectorSelectsNobody) {
  auto check = a_check();
  check.spec.selector = {};

  EXPECT_FALSE(selector_of(check));
}

}  // namespace
}  // namespace capstan::controllers::machinehealthcheck
