#include "controllers/machine/preservation_steps.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/machine/observation_fixture.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using builders::a_node;
using builders::MachineBuilder;
using builders::NodeBuilder;
using testing::HasSubstr;

constexpr std::string_view kPreserve = "capstan.dev/preserve";
constexpr std::string_view kUntil = "capstan.dev/preserve-until";
constexpr std::string_view kFromNode = "capstan.dev/preserve-from-node";
constexpr std::string_view kAuto = "capstan.dev/auto-preserved";
constexpr std::string_view kDisabled = "cluster-autoscaler.kubernetes.io/scale-down-disabled";
constexpr std::string_view kDisabledByUs = "capstan.dev/scale-down-disabled";

MachineBuilder worker() { return a_machine().in_set("s").running(); }
MachineBuilder failed(MachineBuilder machine) {
  return machine.condition("capstan.dev/Lifecycle", "False", "Failed");
}
MachineBuilder until(MachineBuilder machine, Time end) { return machine.annotated(kUntil, end.to_string()); }

Observation on(const MachineBuilder& machine, const NodeBuilder& node = a_node("n1")) {
  Observation seen = seen_of(machine);
  on_node(seen, node);
  return seen;
}

api::Labels annotations_after(const Observation& seen) {
  Plan plan{.wanted = *seen.machine};
  preserve_machine(seen, plan);
  return plan.wanted.metadata.annotations;
}
std::string says(const Observation& seen) {
  const auto condition = preservation_report(seen, *seen.machine).condition;
  return condition ? fmt::format("{} {}: {}", condition->status.view(), condition->reason.view(),
                                 condition->message.view())
                   : "nothing";
}
std::string changes(const Observation& seen) {
  std::optional<NodeChange> change;
  preserve_node(seen, change);
  return change ? describe(*change, *seen.node.node) : "nothing";
}

TEST(PreservationSteps, LeaveAMachineAloneOfWhichNothingIsSaid) {
  const Observation seen = on(worker().annotated("example.com/mine", "yes"));

  EXPECT_EQ(annotations_after(seen), seen.machine->metadata.annotations);
  EXPECT_EQ(changes(seen), "nothing");
  EXPECT_EQ(says(seen), "nothing");
}

TEST(PreservationSteps, WriteTheEndOnceAndSayIt) {
  const Observation seen = on(worker().annotated(kPreserve, "now"));
  const std::string end = (kNow + Seconds(259'200)).to_string();

  EXPECT_EQ(annotations_after(seen).value_or_empty(kUntil), end);
  EXPECT_EQ(annotations_after(on(until(worker().annotated(kPreserve, "now"), kNow + Seconds(5))))
                .value_or_empty(kUntil),
            (kNow + Seconds(5)).to_string());
  EXPECT_EQ(says(seen), "True PreservedAsAsked: until " + end +
                            ": annotation capstan.dev/preserve of the Machine says now");
}

TEST(PreservationSteps, NameAnEndThatCantBeReadAndLeaveItThere) {
  const Observation seen = on(worker().annotated(kPreserve, "now").annotated(kUntil, "tomorrow"));

  EXPECT_EQ(annotations_after(seen).value_or_empty(kUntil), "tomorrow");
  EXPECT_THAT(says(seen), HasSubstr("True PreservedAsAsked: until "));
  EXPECT_THAT(says(seen), HasSubstr("annotation capstan.dev/preserve-until: \"tomorrow\" is ignored"));
}

TEST(PreservationSteps, SayWhatIsWaitedForAndWhatIsRefused) {
  EXPECT_THAT(says(on(worker().annotated(kPreserve, "when-failed"))),
              HasSubstr("False WaitingForFailure: once it fails"));
  EXPECT_THAT(says(on(worker().annotated(kPreserve, "false"))), HasSubstr("False NotWanted: annotation"));
  EXPECT_THAT(says(on(worker().annotated(kPreserve, "yes"))), HasSubstr("False InvalidRequest: annotation"));
  EXPECT_THAT(says(on(failed(worker().annotated(kAuto, "care")))),
              HasSubstr("it has failed, MachineLifecyclePolicy care keeps it"));
}

TEST(PreservationSteps, RememberWhatTheNodeSaidAndDropTheMachinesOwnWish) {
  const auto after =
      annotations_after(on(worker().annotated(kPreserve, "false"), a_node("n1").annotated(kPreserve, "now")));

  EXPECT_EQ(after.value_or_empty(kFromNode), "now");
  EXPECT_FALSE(after.contains(kPreserve));
  EXPECT_TRUE(after.contains(kUntil));
}

TEST(PreservationSteps, AWishThatIsTakenOffTheNodeEndsIt) {
  const auto after = annotations_after(on(until(worker().annotated(kFromNode, "now"), kNow + Seconds(5))));

  EXPECT_FALSE(after.contains(kFromNode));
  EXPECT_FALSE(after.contains(kUntil));
}

TEST(PreservationSteps, KeepTheAutoscalerOffAndPutThatBack) {
  const auto preserved = until(worker().annotated(kPreserve, "now"), kNow + Seconds(5));

  EXPECT_THAT(changes(on(preserved)), HasSubstr(std::string(kDisabled)));
  EXPECT_THAT(changes(on(preserved)), HasSubstr(std::string(kDisabledByUs)));
  EXPECT_EQ(changes(on(preserved, a_node("n1").annotated(kDisabled, "true"))), "nothing") << "it is a user's";
  EXPECT_NE(changes(on(preserved, a_node("n1").annotated(kDisabledByUs, "true"))), "nothing");
  EXPECT_NE(changes(on(preserved, a_node("n1").annotated(kDisabled, "false"))), "nothing");
}

TEST(PreservationSteps, LetTheAutoscalerInAgainWhereWeKeptItOff) {
  const auto node = a_node("n1").annotated(kDisabled, "true");

  EXPECT_EQ(changes(on(worker(), node)), "nothing");
  EXPECT_NE(changes(on(worker(), NodeBuilder(node).annotated(kDisabledByUs, "true"))), "nothing");
}

TEST(PreservationSteps, AtTheEndTheNodesWishGoesBeforeTheMachinesAnnotations) {
  const auto over = until(worker().annotated(kFromNode, "now"), kNow);
  const Observation before = on(over, a_node("n1").annotated(kPreserve, "now"));

  EXPECT_TRUE(annotations_after(before).contains(kUntil));
  EXPECT_THAT(changes(before), HasSubstr(std::string(kPreserve)));
  EXPECT_FALSE(annotations_after(on(over)).contains(kUntil));
}

TEST(PreservationSteps, AtTheEndAMachineThatRunsLosesItsWish) {
  const auto after = annotations_after(on(until(worker().annotated(kPreserve, "now"), kNow)));

  EXPECT_FALSE(after.contains(kPreserve));
  EXPECT_FALSE(after.contains(kUntil));
}

TEST(PreservationSteps, EndAndTellWhatBecomesOfItWhenThePolicyThatKeptItIsGone) {
  Observation seen = on(until(failed(worker().annotated(kAuto, "care")), kNow + Seconds(5)));
  EXPECT_TRUE(annotations_after(seen).contains(kUntil));

  seen.keeper_gone = true;
  Plan plan{.wanted = *seen.machine};
  preserve_machine(seen, plan);

  EXPECT_FALSE(plan.wanted.metadata.annotations.contains(kUntil));
  EXPECT_FALSE(plan.wanted.metadata.annotations.contains(kAuto));
  EXPECT_THAT(release_in_words(seen, plan.wanted), HasSubstr("MachineLifecyclePolicy care"));
  EXPECT_EQ(release_in_words(seen, *seen.machine), "");
}

TEST(PreservationSteps, TellWhereTheEndOfAUsersWishLeavesASickMachineToNothing) {
  const auto sick =
      until(worker().annotated(kPreserve, "now"), kNow).condition("NodeHealthy", "False", "Bad");
  const Observation seen = on(sick);
  Plan plan{.wanted = *seen.machine};
  preserve_machine(seen, plan);
  ASSERT_FALSE(plan.wanted.metadata.annotations.contains(kUntil));

  EXPECT_THAT(release_in_words(seen, plan.wanted), HasSubstr("delete it, or let a policy"));
  const Observation well = on(until(worker().annotated(kPreserve, "now"), kNow));
  Plan other{.wanted = *well.machine};
  preserve_machine(well, other);
  EXPECT_EQ(release_in_words(well, other.wanted), "") << "it runs on, as it should";
}

// A user's wish needs no policy.
TEST(PreservationSteps, AWishOutlivesThePolicy) {
  Observation seen = on(until(failed(worker().annotated(kAuto, "care").annotated(kPreserve, "when-failed")),
                              kNow + Seconds(5)));
  seen.keeper_gone = true;

  EXPECT_TRUE(annotations_after(seen).contains(kUntil));
}

// Otherwise it would be preserved anew before its MachineSet has deleted it.
TEST(PreservationSteps, AtTheEndAMachineThatHasFailedStaysMarkedAsDone) {
  const Observation seen = on(until(failed(worker().annotated(kPreserve, "when-failed")), kNow));

  EXPECT_EQ(annotations_after(seen), seen.machine->metadata.annotations);
  EXPECT_THAT(says(seen), HasSubstr("False TimeIsOver: it was until"));
}

// Others take its place meanwhile, and it needs one of its own when it is released.
TEST(PreservationSteps, AMachineThatHasFailedLosesItsGrantWhileItIsPreserved) {
  constexpr std::string_view kGranted = "capstan.dev/replacement-granted";
  const auto granted = worker().annotated(kPreserve, "now").annotated(kGranted, kNow.to_string());

  EXPECT_FALSE(annotations_after(on(failed(MachineBuilder(granted)))).contains(kGranted));
  EXPECT_TRUE(annotations_after(on(MachineBuilder(granted))).contains(kGranted)) << "it has not failed yet";
  // A health check has handed it over, and the policy waits for it to fail: the grant would come back at
  // once.
  const auto handed = MachineBuilder(granted)
                          .condition("HealthCheckSucceeded", "False", "UnhealthyNode")
                          .condition("OwnerRemediated", "False", "WaitingForRemediation")
                          .condition("capstan.dev/Lifecycle", "False", "Unhealthy");
  EXPECT_TRUE(annotations_after(on(handed)).contains(kGranted));
}

TEST(PreservationSteps, PreserveAMachineOfAPoolToo) {
  const Observation seen = on(a_machine().in_pool("p").running().annotated(kPreserve, "now"));

  EXPECT_TRUE(annotations_after(seen).contains(kUntil));
}

TEST(PreservationSteps, LeaveAMachineWithoutSetOrPoolAlone) {
  const Observation seen = on(a_machine().running().annotated(kPreserve, "now"));

  EXPECT_FALSE(annotations_after(seen).contains(kUntil));
  EXPECT_EQ(changes(seen), "nothing");
}

TEST(PreservationSteps, AMachineOnItsWayOutSaysNothingOfIt) {
  EXPECT_EQ(says(on(until(worker().annotated(kPreserve, "now"), kNow + Seconds(5)).deleting())), "nothing");
}

}  // namespace
}  // namespace capstan::controllers::machine
