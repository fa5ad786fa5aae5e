#include "controllers/machine/lifecycle_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/machine/observation_fixture.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machine {
namespace {

using builders::a_policy;
using testing::HasSubstr;

// Under a policy that asks for nothing of the life of its Machines.
std::string told_of(const builders::MachineBuilder& machine) {
  Observation seen = seen_of(machine);
  seen.governed_by = a_policy("care").rollout().shared();
  const auto report = lifecycle_report(seen, *seen.machine);
  return report.condition ? report.condition->status.str() + " " + report.condition->reason.str() + ": " +
                                report.condition->message.str()
                          : "nothing";
}

TEST(LifecycleReport, NamesADeletionPriorityThatMeansNothingWhateverThePolicyAsksFor) {
  EXPECT_EQ(told_of(a_machine().running().annotated("capstan.dev/deletion-priority", "1")), "nothing");
  EXPECT_THAT(
      told_of(a_machine().running().annotated("capstan.dev/deletion-priority", "first")),
      HasSubstr("Unknown InvalidRequest: annotation capstan.dev/deletion-priority: \"first\" is ignored"));
}

TEST(LifecycleReport, NamesARequestThatThePolicyDoesNotHeed) {
  EXPECT_EQ(
      told_of(a_machine().running().annotated("capstan.dev/replace", "true")),
      "Unknown InvalidRequest: annotation capstan.dev/replace of the Machine is not heeded: its policy has "
      "no health.nodeChecks");
}

// The MachineSet takes a policy's verdict by its condition, and a health check's by these two.
TEST(LifecycleReport, OfAMachineThatFailedLeavesTheMarksOfHealthChecksAlone) {
  Observation seen = seen_of(a_machine("m1")
                                 .in_set("s")
                                 .aged(Seconds(3600))
                                 .condition("Paused", "False", "NotPaused", "", kNow + -Seconds(3600)));
  seen.policy = seen.governed_by = a_policy("care").node_checks().creation_timeout(60).shared();
  seen.node.reach = {.connected = true, .connected_since = kNow + -Seconds(3600)};

  const api::Machine after = reported(seen).machine;

  const auto& list = after.status.conditions;
  const auto lifecycle = api::conditions::find(list, "capstan.dev/Lifecycle");
  ASSERT_NE(lifecycle, nullptr);
  EXPECT_EQ(lifecycle->reason, "Failed");
  EXPECT_EQ(api::conditions::find(list, "HealthCheckSucceeded"), nullptr);
  EXPECT_EQ(api::conditions::find(list, "OwnerRemediated"), nullptr);
}

TEST(LifecycleReport, SaysNothingWhereNoPolicySelectsTheMachine) {
  const Observation seen = seen_of(a_machine().running().annotated("capstan.dev/deletion-priority", "first"));

  EXPECT_FALSE(lifecycle_report(seen, *seen.machine).condition);
}

}  // namespace
}  // namespace capstan::controllers::machine
