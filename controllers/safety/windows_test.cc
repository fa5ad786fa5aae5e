#include "controllers/safety/windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/safety/read_windows.h"

namespace capstan::controllers::safety {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Time time(std::string_view text) { return Time::parse(text).value(); }

// Saturdays from two to four at night.
api::PolicyWindow nightly(std::string_view zone = "", api::List<Text> intents = {}) {
  return {.cron = "0 2 * * SAT"_text,
          .duration_seconds = 7200,
          .time_zone = Text(zone),
          .intents = std::move(intents)};
}

WindowVerdict ask(const std::vector<api::PolicyWindow>& windows, std::string_view now,
                  Cause cause = Cause::ScaleIn) {
  return ask_windows(read_windows(windows, "MachineLifecyclePolicy care"), cause, time(now));
}

TEST(Windows, AreOpenForAsLongAsTheyLast) {
  EXPECT_FALSE(ask({nightly()}, "2025-06-07T01:59:59Z").open);
  EXPECT_TRUE(ask({nightly()}, "2025-06-07T02:00:00Z").open);
  EXPECT_TRUE(ask({nightly()}, "2025-06-07T03:59:59Z").open);
  EXPECT_FALSE(ask({nightly()}, "2025-06-07T04:00:00Z").open);
}

TEST(Windows, SayWhenTheNextOneOpens) {
  const auto verdict = ask({nightly()}, "2025-06-06T02:00:00Z");
  EXPECT_THAT(verdict.why, AllOf(HasSubstr("outside the windows of MachineLifecyclePolicy care for ScaleIn"),
                                 HasSubstr("the next one opens at 2025-06-07T02:00:00Z (0 2 * * SAT, UTC)")));
  EXPECT_EQ(verdict.opens_in, std::chrono::hours(24));
}

TEST(Windows, AreOfTheirTimeZone) {
  EXPECT_TRUE(ask({nightly("Europe/Berlin")}, "2025-06-07T00:00:00Z").open);
  EXPECT_FALSE(ask({nightly("Europe/Berlin")}, "2025-06-07T02:00:00Z").open);
}

// In Berlin the clock goes from two to three on Sunday, 30 March 2025.
TEST(Windows, OpenAlthoughTheClockLeavesTheirTimeOut) {
  const api::PolicyWindow window{
      .cron = "30 2 * * SUN"_text, .duration_seconds = 600, .time_zone = "Europe/Berlin"_text};
  EXPECT_FALSE(ask({window}, "2025-03-30T00:59:59Z").open);
  EXPECT_TRUE(ask({window}, "2025-03-30T01:00:00Z").open);
  EXPECT_FALSE(ask({window}, "2025-03-30T01:10:00Z").open);
}

TEST(Windows, HoldWhatTheyAreFor) {
  const std::vector only_rollouts = {nightly("", {"Rollout"_text})};
  EXPECT_FALSE(ask(only_rollouts, "2025-06-06T02:00:00Z", Cause::Rollout).open);
  EXPECT_TRUE(ask(only_rollouts, "2025-06-06T02:00:00Z", Cause::ScaleIn).open);
}

TEST(Windows, HoldNoRemediationUnlessTheySaySo) {
  EXPECT_TRUE(ask({nightly()}, "2025-06-06T02:00:00Z", Cause::Remediation).open);
  EXPECT_FALSE(ask({nightly()}, "2025-06-06T02:00:00Z", Cause::PreservationEnded).open);
}

TEST(Windows, AreOpenWhenOneOfThemIs) {
  const api::PolicyWindow daily{.cron = "0 12 * * *"_text, .duration_seconds = 3600};
  EXPECT_TRUE(ask({nightly(), daily}, "2025-06-06T12:30:00Z").open);
  EXPECT_THAT(ask({nightly(), daily}, "2025-06-06T14:00:00Z").why, HasSubstr("at 2025-06-07T02:00:00Z"));
}

TEST(Windows, NeverOpenInATimeZoneThatDoesNotExist) {
  const auto verdict = ask({nightly("Europe/Berlino")}, "2025-06-07T02:30:00Z");
  EXPECT_FALSE(verdict.open);
  EXPECT_FALSE(verdict.opens_in);
  EXPECT_THAT(verdict.why, HasSubstr("spec.windows[0].timeZone: there is no time zone \"Europe/Berlino\""));
}

TEST(Windows, NeverOpenOnADateThatDoesNotCome) {
  const api::PolicyWindow never{.cron = "0 0 30 2 *"_text, .duration_seconds = 3600};
  const auto verdict = ask({never}, "2025-02-28T00:00:00Z");
  EXPECT_FALSE(verdict.open);
  EXPECT_THAT(verdict.why, HasSubstr("spec.windows[0].cron: \"0 0 30 2 *\" never comes"));
}

TEST(Windows, NeverOpenWhenTheirCronCannotBeRead) {
  const api::PolicyWindow broken{.cron = "at night please and soon"_text, .duration_seconds = 3600};
  EXPECT_THAT(ask({broken}, "2025-02-28T00:00:00Z").why,
              HasSubstr("spec.windows[0].cron: the minute \"at\""));
}

}  // namespace
}  // namespace capstan::controllers::safety
