#include "kubeconfig/follow_clock.h"

#include <gtest/gtest.h>

namespace capstan::kubeconfig {
namespace {

using namespace std::literals;

constexpr Time kNoon = Time::from_unix(1'750'000'000);

Reach followed(Nanoseconds by) {
  Reach reach{.last_success = kNoon, .first_failure = kNoon + 10s};
  follow_clock(reach, by);
  return reach;
}

TEST(FollowClock, MovesTheTimesOfAnOutageWithAClockThatWasSet) {
  for (const Seconds off : {Seconds(1h), Seconds(-1h)}) {
    EXPECT_EQ(followed(off + 3us).last_success, kNoon + off);
    EXPECT_EQ(followed(off).first_failure, kNoon + 10s + off);
  }
}

TEST(FollowClock, LeavesTheTimesAloneWhileTheClockOnlyRunsALittleOff) {
  EXPECT_EQ(followed(900ms).last_success, kNoon);
  EXPECT_EQ(followed(-900ms).first_failure, kNoon + 10s);
}

TEST(FollowClock, SetsNoTimeThatIsNotKnown) {
  Reach reach;
  follow_clock(reach, 1h);
  EXPECT_FALSE(reach.last_success.is_set());
  EXPECT_FALSE(reach.first_failure.is_set());
}

}  // namespace
}  // namespace capstan::kubeconfig
