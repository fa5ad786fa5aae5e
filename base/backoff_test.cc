#include "base/backoff.h"

#include <gtest/gtest.h>

namespace capstan {
namespace {

using std::chrono::milliseconds;

constexpr Backoff kPlain = {.initial = milliseconds(5), .factor = 2, .cap = Seconds(1)};

TEST(Backoff, DoublesFromTheInitialDelay) {
  EXPECT_EQ(kPlain.delay(1), milliseconds(5));
  EXPECT_EQ(kPlain.delay(2), milliseconds(10));
  EXPECT_EQ(kPlain.delay(5), milliseconds(80));
}

TEST(Backoff, WithoutFailuresThereIsNothingToWaitFor) { EXPECT_EQ(kPlain.delay(0), Nanoseconds(0)); }

TEST(Backoff, NeverExceedsItsCap) {
  EXPECT_EQ(kPlain.delay(9), Seconds(1));
  EXPECT_EQ(kPlain.delay(1'000'000'000), Seconds(1));
}

TEST(Backoff, JitterOnlyMakesItLonger) {
  const Backoff jittered = {.initial = Seconds(10), .jitter = 0.5};

  EXPECT_EQ(jittered.delay(1, 0), Seconds(10));
  EXPECT_EQ(jittered.delay(1, 0.5), milliseconds(12'500));
  EXPECT_LT(jittered.delay(1, 0.999), Seconds(15));
}

TEST(Backoff, LongestCapDoesNotOverflow) {
  const Backoff endless = {.initial = Seconds(1), .cap = Nanoseconds::max(), .jitter = 1};

  EXPECT_GT(endless.delay(1'000, 0.9), std::chrono::hours(24 * 365 * 200));
}

}  // namespace
}  // namespace capstan
