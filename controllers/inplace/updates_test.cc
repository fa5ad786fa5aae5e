#include "controllers/inplace/updates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/lifecycle/aliases.h"
#include "test/builders/machine.h"

namespace capstan::controllers::inplace {
namespace {

using builders::a_machine;
using builders::noon;

constexpr DrainTimes after(Seconds span) {
  return {.began = noon(), .now = noon() + span, .reached_since = noon()};
}

api::Machine with_a_minute() {
  auto machine = a_machine("m1").build();
  machine.spec.deletion.node_drain_timeout_seconds = 60;
  return machine;
}

TEST(UpdateDrain, EndsWithTheTimeoutOfADeletion) {
  const auto before = update_drain(with_a_minute(), {}, after(Seconds(50)));
  const auto later = update_drain(with_a_minute(), {}, after(Seconds(60)));

  EXPECT_FALSE(before.is_over);
  EXPECT_EQ(before.ends_in, Seconds(10));
  EXPECT_TRUE(later.is_over);
}

TEST(UpdateDrain, NeverEndsWithoutOne) {
  const auto how = update_drain(a_machine("m1"), {}, after(Seconds(86'400)));

  EXPECT_FALSE(how.is_over);
  EXPECT_EQ(how.ends_in, std::nullopt);
}

TEST(UpdateDrain, TheAnnotationOfTheMachineWins) {
  const auto how = update_drain(with_a_minute(), {.timeout_seconds = 30}, after(Seconds(30)));

  EXPECT_TRUE(how.is_over);
}

TEST(UpdateDrain, EndsWithTheTimeoutOfThePolicyWhereTheMachineHasNone) {
  const drain::DrainChoices choices{.default_timeout_seconds = 7200};

  EXPECT_FALSE(update_drain(a_machine("m1"), choices, after(Seconds(7199))).is_over);
  EXPECT_TRUE(update_drain(a_machine("m1"), choices, after(Seconds(7200))).is_over);
}

TEST(UpdateDrain, GoesOnByForceWhereThePolicySaysSo) {
  const auto how = update_drain(with_a_minute(), {.force_on_timeout = true}, after(Seconds(60)));

  EXPECT_FALSE(how.is_over);
  EXPECT_NE(how.force.why, "");
}

TEST(UpdateDrain, IsNotForcedByWhatIsAskedOfADeletion) {
  const auto how =
      update_drain(a_machine("m1"), {.by_force = "capstan.dev/force-deletion"}, after(Seconds(1)));

  EXPECT_EQ(how.force.why, "");
}

TEST(UpdateDrain, IsForcedByMcmsLabelWhereItsKeysAreRead) {
  const api::Machine machine = a_machine("m1").labelled("force-drain", "True");

  lifecycle::accept_mcm_aliases(true);
  const auto how = update_drain(machine, {}, after(Seconds(1)));
  lifecycle::accept_mcm_aliases(false);

  EXPECT_EQ(how.force.why, "label force-drain");
}

TEST(UpdateDrain, GivesEvictionsUpAsADeletionDoes) {
  const auto how =
      update_drain(a_machine("m1"), {.not_ready_seconds = 300, .eviction_seconds = 7200}, after(Seconds(1)));

  EXPECT_EQ(how.eviction_time, Seconds(7200));
  EXPECT_EQ(how.force.not_ready_for, Seconds(300));
}

}  // namespace
}  // namespace capstan::controllers::inplace
