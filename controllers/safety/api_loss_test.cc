#include "controllers/safety/api_loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::controllers::safety {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr Time kNow = Time::from_unix(1'750'000'000);

ApiLoss loss(const ApiHealth& health) { return api_loss(health, {.now = kNow, .grace = 30s}); }

TEST(ApiLoss, IsNoneWhileTheServerAnswers) {
  EXPECT_EQ(loss({.last_heard = kNow}), ApiLoss::None);
  EXPECT_EQ(loss({.last_heard = kNow + -600s}), ApiLoss::None);  // nothing was asked since
}

TEST(ApiLoss, IsADoubtWithinTheGrace) {
  EXPECT_EQ(loss({.failing = true, .last_heard = kNow + -30s}), ApiLoss::OneProbeFailed);
  EXPECT_EQ(loss({.failing = true, .last_heard = kNow + -31s}), ApiLoss::Down);
}

TEST(ApiLoss, IsThereUntilTheServerWasHeardOnce) {
  EXPECT_EQ(loss({}), ApiLoss::NoEvidence);
  EXPECT_EQ(loss({.failing = true}), ApiLoss::NoEvidence);
}

TEST(ApiLoss, SaysSinceWhenAndWhatOpensIt) {
  const auto down =
      words_for(ApiLoss::Down, {.failing = true, .last_heard = kNow, .problem = "refused"}, "the server");
  EXPECT_THAT(down, HasSubstr("the server has not been reached since 2025-06-15T15:06:40Z (refused)"));
  EXPECT_THAT(down, HasSubstr("until it answers"));
  EXPECT_THAT(words_for(ApiLoss::NoEvidence, {}, "the server"), HasSubstr("since this manager started"));
}

}  // namespace
}  // namespace capstan::controllers::safety
