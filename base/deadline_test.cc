#include "base/deadline.h"

#include <gtest/gtest.h>

namespace capstan {
namespace {

class StandingClock final : public Clock {
 public:
  WallTime now() const override { return WallTime(); }
  SteadyTime steady_now() const override { return SteadyTime(Seconds(100)); }
};

TEST(Deadline, PassesAtItsTimeNotBefore) {
  const Deadline deadline = Deadline::in(StandingClock(), Seconds(5));

  EXPECT_FALSE(deadline.passed(SteadyTime(Seconds(105)) - Nanoseconds(1)));
  EXPECT_TRUE(deadline.passed(SteadyTime(Seconds(105))));
}

TEST(Deadline, NeverMeansOnlyAStopEndsIt) {
  std::stop_source stop;
  const Deadline deadline = Deadline::never(stop.get_token());
  EXPECT_FALSE(deadline.passed(SteadyTime(std::chrono::hours(1'000'000))));

  stop.request_stop();

  EXPECT_TRUE(deadline.stopped());
  EXPECT_TRUE(deadline.passed(SteadyTime()));
}

TEST(Deadline, CanOnlyBeShortened) {
  std::stop_source stop;
  const Deadline deadline = Deadline::in(StandingClock(), Seconds(5), stop.get_token());

  EXPECT_EQ(deadline.no_later_than(SteadyTime(Seconds(101))).at, SteadyTime(Seconds(101)));
  EXPECT_EQ(deadline.no_later_than(SteadyTime(Seconds(200))).at, SteadyTime(Seconds(105)));
  EXPECT_EQ(deadline.no_later_than(SteadyTime()).stop, stop.get_token());
}

TEST(SystemClock, SteadyTimeNeverGoesBack) {
  const SystemClock clock;

  const SteadyTime before = clock.steady_now();

  EXPECT_LE(before, clock.steady_now());
  EXPECT_GT(clock.now(), WallTime(std::chrono::hours(24 * 365 * 50)));
}

}  // namespace
}  // namespace capstan
