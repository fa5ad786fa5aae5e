#include "runtime/paused.h"

#include <gmock/gmock.h>

#include "api/conditions/conditions.h"

namespace capstan::runtime {
namespace {

constexpr Time kNow = Time::from_unix(1'000);
constexpr Time kBefore = Time::from_unix(500);

api::ObjectMeta annotated(std::string_view value) {
  api::ObjectMeta metadata;
  metadata.annotations.set("cluster.x-k8s.io/paused", value);
  return metadata;
}

api::Condition paused_condition(const api::Conditions& conditions) {
  return *api::conditions::find(conditions, "Paused");
}

TEST(Paused, ByTheClusterByTheObjectOrByBoth) {
  EXPECT_FALSE(paused(false, {}, "Machine").paused);
  EXPECT_EQ(paused(true, {}, "Machine").message, "Cluster spec.paused is set to true");
  EXPECT_EQ(paused(false, annotated(""), "Machine").message,
            "Machine has the cluster.x-k8s.io/paused annotation");
  EXPECT_EQ(paused(true, annotated("x"), "MachineSet").message,
            "Cluster spec.paused is set to true, MachineSet has the cluster.x-k8s.io/paused annotation");
}

TEST(Paused, TheAnnotationCountsWhateverItsValue) {
  EXPECT_TRUE(paused(false, annotated("false"), "Machine").paused);
}

TEST(Paused, AFirstTurnWritesTheConditionAndEnds) {
  const auto verdict = judge_pause({}, {}, 3, kNow);

  EXPECT_EQ(verdict.step, PauseStep::Write);
  EXPECT_EQ(paused_condition(verdict.conditions).status, std::string_view("False"));
  EXPECT_EQ(paused_condition(verdict.conditions).reason, std::string_view("NotPaused"));
  EXPECT_EQ(paused_condition(verdict.conditions).observed_generation, 3);
}

TEST(Paused, APauseIsWrittenAndThenStopsEveryTurn) {
  const Paused pause{.paused = true, .message = "Cluster spec.paused is set to true"};

  const auto first = judge_pause(pause, {}, 3, kNow);
  const auto second = judge_pause(pause, first.conditions, 3, kNow);

  EXPECT_EQ(first.step, PauseStep::Write);
  EXPECT_EQ(paused_condition(first.conditions).status, std::string_view("True"));
  EXPECT_EQ(second.step, PauseStep::Stop);
}

TEST(Paused, ANewReasonForAPauseIsWritten) {
  const auto first = judge_pause({.paused = true, .message = "one"}, {}, 3, kBefore);

  const auto second = judge_pause({.paused = true, .message = "two"}, first.conditions, 3, kNow);

  EXPECT_EQ(second.step, PauseStep::Write);
  EXPECT_EQ(paused_condition(second.conditions).message, std::string_view("two"));
  EXPECT_EQ(paused_condition(second.conditions).last_transition_time, kBefore);
}

TEST(Paused, WhatIsNotPausedGoesOnAndTakesTheGenerationAlong) {
  const auto first = judge_pause({}, {}, 3, kBefore);

  const auto second = judge_pause({}, first.conditions, 4, kNow);

  EXPECT_EQ(second.step, PauseStep::GoOn);
  EXPECT_EQ(paused_condition(second.conditions).observed_generation, 4);
  EXPECT_EQ(paused_condition(second.conditions).last_transition_time, kBefore);
}

TEST(Paused, WhilePausedANewGenerationIsNotWritten) {
  const Paused pause{.paused = true, .message = "one"};
  const auto first = judge_pause(pause, {}, 3, kBefore);

  const auto second = judge_pause(pause, first.conditions, 4, kNow);

  EXPECT_EQ(second.step, PauseStep::Stop);
  EXPECT_EQ(second.conditions, first.conditions);
}

}  // namespace
}  // namespace capstan::runtime
