#include "controllers/shared/recheck.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace capstan::controllers {
namespace {

TEST(RecheckWithin, TakesTheFirstSpan) {
  std::optional<Seconds> recheck;

  recheck_within(recheck, Seconds(30));

  EXPECT_EQ(recheck, Seconds(30));
}

TEST(RecheckWithin, KeepsTheSoonerInEitherOrder) {
  std::optional<Seconds> falling = Seconds(30);
  std::optional<Seconds> rising = Seconds(5);

  recheck_within(falling, Seconds(5));
  recheck_within(rising, Seconds(30));

  EXPECT_EQ(falling, Seconds(5));
  EXPECT_EQ(rising, Seconds(5));
}

TEST(RecheckWithin, NothingAskedForChangesNothing) {
  std::optional<Seconds> known = Seconds(5);
  std::optional<Seconds> unknown;

  recheck_within(known, std::nullopt);
  recheck_within(unknown, std::nullopt);

  EXPECT_EQ(known, Seconds(5));
  EXPECT_EQ(unknown, std::nullopt);
}

TEST(RecheckWithin, ComparesSpansOfDifferentUnits) {
  std::optional<Nanoseconds> recheck = std::chrono::milliseconds(1500);

  recheck_within(recheck, Seconds(2));
  EXPECT_EQ(recheck, std::chrono::milliseconds(1500));

  recheck_within(recheck, Seconds(1));
  EXPECT_EQ(recheck, Seconds(1));
}

}  // namespace
}  // namespace capstan::controllers
