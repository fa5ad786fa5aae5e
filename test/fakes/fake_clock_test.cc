#include "test/fakes/fake_clock.h"

#include <gtest/gtest.h>

#include <atomic>

namespace capstan::fakes {
namespace {

using namespace std::chrono_literals;

TEST(FakeClock, StandsStillUntilAdvanced) {
  FakeClock clock;
  const WallTime wall = clock.now();
  const SteadyTime steady = clock.steady_now();

  clock.advance(20s);

  EXPECT_EQ(clock.now() - wall, 20s);
  EXPECT_EQ(clock.steady_now() - steady, 20s);
}

TEST(FakeClock, SettingTheWallClockDoesNotMoveSteadyTime) {
  FakeClock clock;
  const SteadyTime steady = clock.steady_now();

  clock.set_wall(clock.now() - 1h);

  EXPECT_EQ(clock.steady_now(), steady);
}

TEST(FakeClock, AdvanceEndsAWaitWhoseDeadlineHasCome) {
  FakeClock clock;
  Woken woken = Woken::Notified;
  const auto sleeper = clock.spawn(
      "sleeper", [&](const std::stop_token& stop) { woken = clock.pause(Deadline::in(clock, 20s, stop)); });
  ASSERT_TRUE(clock.await_waiting(1));

  clock.advance(20s);

  sleeper->join();
  EXPECT_EQ(woken, Woken::TimedOut);
}

TEST(FakeClock, AWaitGoesOnWhileItsDeadlineIsAhead) {
  FakeClock clock;
  Signal change;
  Woken woken = Woken::TimedOut;
  const auto sleeper = clock.spawn("sleeper", [&](const std::stop_token& stop) {
    woken = clock.wait(change, 0, Deadline::in(clock, 20s, stop));
  });
  ASSERT_TRUE(clock.await_waiting(1));

  clock.advance(19s);
  change.notify();

  sleeper->join();
  EXPECT_EQ(woken, Woken::Notified);
}

TEST(FakeClock, APassedDeadlineDoesNotWait) {
  FakeClock clock;
  Signal change;

  EXPECT_EQ(clock.wait(change, change.count(), Deadline::in(clock, 0s)), Woken::TimedOut);
}

}  // namespace
}  // namespace capstan::fakes
