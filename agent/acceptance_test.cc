#include "agent/acceptance.h"

#include <gtest/gtest.h>

#include "api/bootstrap/node_config_release.h"

namespace capstan::agent {
namespace {

using std::chrono::seconds;
constexpr WallTime kNow = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
constexpr std::int64_t kToday = 1767225600;

const std::string kAll = api::bootstrap::release_text("c2", UINT32_MAX);

Offered offered(std::string_view release) {
  return {.checksum = "c2", .release = release, .max_delay_seconds = 100};
}

TEST(Accept, AMachineThatHasNotJoinedTakesItAtOnce) {
  EXPECT_TRUE(accept(offered(""), {.joined = false}, kNow, 0.5).now);
}

TEST(Accept, ANodeWaitsUntilItIsReleasedToIt) {
  const Receiver node = {.in_force = "c1", .joined = true, .node = "n1"};
  const std::string other = api::bootstrap::release_text("c1", UINT32_MAX);

  EXPECT_FALSE(accept(offered(""), node, kNow, 0).now);
  EXPECT_FALSE(accept(offered(other), node, kNow, 0).now);
  EXPECT_TRUE(accept(offered(kAll), node, kNow, 0).now);
}

TEST(Accept, ANodeWaitsAPartOfTheDelayThatIsChosenOnce) {
  const Receiver node = {.in_force = "c1", .joined = true, .node = "n1"};

  const auto first = accept(offered(kAll), node, kNow, 0.25);
  EXPECT_FALSE(first.now);
  EXPECT_EQ(first.delay, (Delay{.checksum = "c2", .until = kToday + 25}));
  EXPECT_EQ(first.at, kNow + seconds(25));

  Receiver later = node;
  later.delay = first.delay;
  EXPECT_EQ(accept(offered(kAll), later, kNow + seconds(24), 0.9).delay, first.delay);
  EXPECT_TRUE(accept(offered(kAll), later, kNow + seconds(25), 0.9).now);
}

TEST(Accept, AClockThatWasSetBackMakesItNoLongerThanItMayBe) {
  const Receiver node = {.in_force = "c1",
                         .joined = true,
                         .node = "n1",
                         .delay = Delay{.checksum = "c2", .until = kToday + 3600}};

  EXPECT_EQ(accept(offered(kAll), node, kNow, 0).delay->until, kToday + 100);
}

TEST(Accept, WhatIsInForceIsNotTakenUpAgain) {
  const Receiver node = {
      .in_force = "c2", .joined = true, .node = "n1", .delay = Delay{.checksum = "c2", .until = kToday}};

  const auto acceptance = accept(offered(kAll), node, kNow, 0);

  EXPECT_FALSE(acceptance.now);
  EXPECT_EQ(acceptance.delay, std::nullopt);
}

}  // namespace
}  // namespace capstan::agent
