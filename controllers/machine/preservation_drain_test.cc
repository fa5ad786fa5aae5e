#include "controllers/machine/preservation_drain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/machine/observation_fixture.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using builders::a_node;
using builders::MachineBuilder;
using builders::NodeBuilder;
using lifecycle::Preservation;
using lifecycle::Preserved;

constexpr std::string_view kDrain = "capstan.dev/preservation-drain";

MachineBuilder worker() { return a_machine().in_set("s").running(); }
MachineBuilder failed() { return worker().condition("capstan.dev/Lifecycle", "False", "Failed"); }

Observation on(const MachineBuilder& machine, const NodeBuilder& node = a_node("n1"), bool drains = true) {
  Observation seen = seen_of(machine);
  on_node(seen, node);
  api::PolicyPreservation preservation;
  if (drains) preservation.drain = api::PreservationDrain();
  seen.policy = std::make_shared<const api::MachineLifecyclePolicy>(
      builders::a_policy("care").preservation(preservation).build());
  return seen;
}
const Preservation kKept{.state = Preserved::Yes, .until = kNow + Seconds(60)};
const Preservation kReleased{.state = Preserved::Refused};

std::string annotation_after(const Observation& seen, const Preservation& preserved) {
  Plan plan{.wanted = *seen.machine};
  note_preservation_drain(seen, preserved, plan);
  return std::string(plan.wanted.metadata.annotations.value_or_empty(kDrain));
}
NodeChange change_of(const Observation& seen, const Preservation& preserved) {
  NodeChange change;
  show_on_preserved_node(seen, preserved, change);
  return change;
}

TEST(PreservationDrain, BeginsWithTheFailureAndIsDoneOnce) {
  EXPECT_EQ(annotation_after(on(worker()), kKept), "") << "it is well";
  EXPECT_EQ(annotation_after(on(failed()), kKept), kNow.to_string());
  EXPECT_EQ(annotation_after(on(failed().annotated(kDrain, "2026-01-01T00:00:00Z")), kKept),
            "2026-01-01T00:00:00Z");

  Observation emptied = on(failed().annotated(kDrain, "2026-01-01T00:00:00Z"));
  emptied.emptied = true;

  EXPECT_EQ(annotation_after(emptied, kKept), "done");
}

TEST(PreservationDrain, IsForgottenWhenTheMachineIsWellOrReleased) {
  EXPECT_EQ(annotation_after(on(worker().annotated(kDrain, "done")), kKept), "");
  EXPECT_EQ(annotation_after(on(failed().annotated(kDrain, "done")), kReleased), "");
}

TEST(PreservationDrain, IsAskedForByThePolicyAlone) {
  const auto seen = on(failed(), a_node("n1"), false);

  EXPECT_EQ(annotation_after(seen, kKept), "");
  EXPECT_FALSE(change_of(seen, kKept).taints);
}

TEST(PreservedNodeCondition, SaysUntilWhenWhereAPolicyHasThePreservation) {
  const auto seen = on(worker(), a_node("n1"), false);

  const auto change = change_of(seen, kKept);

  ASSERT_TRUE(change.condition);
  EXPECT_EQ(change.condition->type, "capstan.dev/Preserved");
  EXPECT_EQ(change.condition->status, "True");
  EXPECT_EQ(change.condition->message, "Machine m1 is preserved until " + kKept.until.to_string());
}

TEST(PreservedNodeCondition, SaysThatItIsOver) {
  const auto seen = on(worker(), a_node("n1").condition("capstan.dev/Preserved", "True"), false);

  const auto change = change_of(seen, kReleased);

  ASSERT_TRUE(change.condition);
  EXPECT_EQ(change.condition->status, "False");
  EXPECT_EQ(change.condition->message, "Machine m1 is not preserved any more");
}

TEST(PreservedNodeCondition, IsNoneWhereNoPolicyHasThePreservation) {
  Observation seen = on(worker());
  seen.policy = std::make_shared<const api::MachineLifecyclePolicy>(builders::a_policy("care").build());

  EXPECT_EQ(change_of(seen, kKept), NodeChange());
}

TEST(PreservationDrain, GoesOnSinceItsBeginningUntilItIsDone) {
  const api::Machine begun = failed().annotated(kDrain, "2026-01-01T00:00:00Z");
  const api::Machine done = failed().annotated(kDrain, "done");

  EXPECT_EQ(preservation_drain_since(begun), Time::parse("2026-01-01T00:00:00Z").value());
  EXPECT_FALSE(preservation_drain_since(done));
  EXPECT_FALSE(preservation_drain_since(failed()));
}

TEST(PreservationDrain, TaintsTheNodeOfAFailedMachineAlone) {
  const auto of_failed = change_of(on(failed()), kKept);
  const auto of_well = change_of(on(worker()), kKept);

  ASSERT_TRUE(of_failed.taints);
  EXPECT_TRUE(of_failed.taints->begin()->same_taint("capstan.dev/preserved", "NoSchedule"));
  EXPECT_FALSE(of_failed.uncordon);
  EXPECT_EQ(of_failed.condition->status, "True");
  EXPECT_FALSE(of_well.taints);
  EXPECT_EQ(of_well.condition->status, "True");
}

TEST(PreservationDrain, TakesItsTaintAloneBack) {
  const auto seen = on(
      worker(),
      a_node("n1").tainted("example.com/mine", "NoSchedule").tainted("capstan.dev/preserved", "NoSchedule"));

  const auto change = change_of(seen, kReleased);

  ASSERT_TRUE(change.taints);
  ASSERT_EQ(change.taints->size(), 1U);
  EXPECT_EQ(change.taints->begin()->key, "example.com/mine");
}

}  // namespace
}  // namespace capstan::controllers::machine
