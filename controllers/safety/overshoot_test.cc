#include "controllers/safety/overshoot.h"

#include <gtest/gtest.h>

namespace capstan::controllers::safety {
namespace {

// The two worked examples of machine-controller-manager, up 2 and down 1.
TEST(Overshoot, ADeploymentOfThreeWithASurgeOfOneFreezesAtSixAndOpensAtFive) {
  const auto limits = overshoot_limits({.up = 2, .down = 1}, {.replicas = 3, .surge = 1});

  EXPECT_EQ(limits, (OvershootLimits{.high = 6, .low = 5}));
  EXPECT_FALSE(overshoots(5, limits, false));
  EXPECT_TRUE(overshoots(6, limits, false));
  EXPECT_TRUE(overshoots(6, limits, true));
  EXPECT_FALSE(overshoots(5, limits, true));
}

TEST(Overshoot, ALoneSetOfThreeFreezesAtEightAndOpensAtSeven) {
  const auto limits = overshoot_limits({.up = 2, .down = 1}, wanted_by_lone_set(3));

  EXPECT_EQ(limits, (OvershootLimits{.high = 8, .low = 7}));
}

TEST(Overshoot, WithoutNumbersThoseOfTheSchemaCount) {
  EXPECT_EQ(overshoot_limits({}, {.replicas = 3, .surge = 1}), (OvershootLimits{.high = 6, .low = 5}));
}

TEST(Overshoot, BetweenTheLimitsItStaysAsItWas) {
  const auto limits = overshoot_limits({.up = 4, .down = 3}, {.replicas = 3});

  EXPECT_FALSE(overshoots(6, limits, false));
  EXPECT_TRUE(overshoots(6, limits, true));
}

TEST(Overshoot, OpensWithAllThatAreWantedHoweverFarDownReaches) {
  const auto limits = overshoot_limits({.up = 1, .down = 1000}, {.replicas = 3});

  EXPECT_FALSE(overshoots(3, limits, true));
  EXPECT_TRUE(overshoots(4, limits, true));
}

}  // namespace
}  // namespace capstan::controllers::safety
