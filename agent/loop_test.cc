#include "agent/loop.h"

#include <gtest/gtest.h>

namespace capstan::agent {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
constexpr WallTime kNow = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);

Nanoseconds pause(const Round& round, int failures = 0) { return pause_after(round, failures, kNow, 0, {}); }

TEST(PauseAfter, ARoundInWhichAllWasWellIsTenMinutes) { EXPECT_EQ(pause({}), minutes(10)); }

TEST(PauseAfter, WhileAMachineJoinsIsShort) { EXPECT_EQ(pause({.waiting = true}), seconds(5)); }

TEST(PauseAfter, EndsWhenSomethingIsToBeDone) {
  EXPECT_EQ(pause({.at = kNow + seconds(90)}), seconds(90));
  EXPECT_EQ(pause({.at = kNow - seconds(90)}), seconds(2));
}

// A thousand agents heard of a wave, and each that had to read within two seconds did so at their end.
TEST(PauseAfter, DoesNotPutOffWhatIsToBeDoneSoon) {
  EXPECT_EQ(pause({.at = kNow + std::chrono::milliseconds(300)}), std::chrono::milliseconds(300));
  EXPECT_EQ(pause({.at = kNow}), seconds(2)) << "what was not done in time does not make it hurry";
}

TEST(PauseAfter, GrowsWhileSomethingFailsForHours) {
  const Round failed = {.troubles = {"no route to host"}};

  EXPECT_EQ(pause(failed, 1), seconds(5));
  EXPECT_EQ(pause(failed, 3), seconds(20));
  EXPECT_EQ(pause(failed, 1000), minutes(10));
}

TEST(PauseAfter, AMachineThatJoinsDoesNotWaitMinutesForASecretThatIsLate) {
  EXPECT_EQ(pause({.troubles = {"not found"}, .waiting = true}, 1000), seconds(30));
}

}  // namespace
}  // namespace capstan::agent
