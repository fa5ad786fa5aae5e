#include "base/time_zone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/zone_files.h"

namespace capstan {
namespace {

using testing::HasSubstr;

Time time(std::string_view text) { return Time::parse(text).value(); }
LocalTime local(std::string_view text) {
  return LocalTime(Seconds(time(std::string(text) + "Z").unix_seconds()));
}
TimeZone zone(std::string_view name) { return read_time_zone(name).value(); }

std::string shown(std::string_view name, std::string_view moment) {
  return Time::from_unix(zone(name).local(time(moment)).time_since_epoch().count()).to_string().substr(0, 16);
}
std::string moment(std::string_view name, std::string_view shown) {
  return zone(name).moment(local(shown)).to_string();
}
std::string next(std::string_view cron, std::string_view name, std::string_view after) {
  const auto found = next_moment(*Cron::parse(cron), zone(name), time(after));
  return found ? found->to_string() : "never";
}

TEST(TimeZone, HasSummerAndWinter) {
  EXPECT_EQ(shown("Europe/Berlin", "2025-01-15T12:00:00Z"), "2025-01-15T13:00");
  EXPECT_EQ(shown("Europe/Berlin", "2025-07-15T12:00:00Z"), "2025-07-15T14:00");
  EXPECT_EQ(shown("America/New_York", "2025-07-15T12:00:00Z"), "2025-07-15T08:00");
}

TEST(TimeZone, NeedNotBeWholeHoursAway) {
  EXPECT_EQ(shown("Asia/Kolkata", "2025-07-15T12:00:00Z"), "2025-07-15T17:30");
  EXPECT_EQ(shown("Australia/Lord_Howe", "2025-01-15T12:00:00Z"), "2025-01-15T23:00");
  EXPECT_EQ(shown("Australia/Lord_Howe", "2025-07-15T12:00:00Z"), "2025-07-15T22:30");
}

// Beyond the table of its file, which ends in 2037.
TEST(TimeZone, GoesOnByTheRuleAtTheEndOfItsFile) {
  EXPECT_EQ(shown("Europe/Berlin", "2060-01-15T12:00:00Z"), "2060-01-15T13:00");
  EXPECT_EQ(shown("Europe/Berlin", "2060-07-15T12:00:00Z"), "2060-07-15T14:00");
  EXPECT_EQ(shown("Australia/Sydney", "2060-01-15T12:00:00Z"), "2060-01-15T23:00");
  EXPECT_EQ(shown("Australia/Sydney", "2060-07-15T12:00:00Z"), "2060-07-15T22:00");
}

TEST(TimeZone, FindsTheMomentOfALocalTime) {
  EXPECT_EQ(moment("UTC", "2025-07-15T14:00:00"), "2025-07-15T14:00:00Z");
  EXPECT_EQ(moment("Europe/Berlin", "2025-07-15T14:00:00"), "2025-07-15T12:00:00Z");
  EXPECT_EQ(moment("Europe/Berlin", "2025-01-15T13:00:00"), "2025-01-15T12:00:00Z");
}

// On 26 October 2025 the hour from two to three comes twice.
TEST(TimeZone, TakesTheFirstOfTwoMoments) {
  EXPECT_EQ(moment("Europe/Berlin", "2025-10-26T02:30:00"), "2025-10-26T00:30:00Z");
  EXPECT_EQ(moment("Europe/Berlin", "2025-10-26T03:00:00"), "2025-10-26T02:00:00Z");
}

// On 30 March 2025 the clock goes from two to three.
TEST(TimeZone, TakesTheEndOfWhatTheClockLeavesOut) {
  EXPECT_EQ(moment("Europe/Berlin", "2025-03-30T01:59:59"), "2025-03-30T00:59:59Z");
  EXPECT_EQ(moment("Europe/Berlin", "2025-03-30T02:30:00"), "2025-03-30T01:00:00Z");
  EXPECT_EQ(moment("Europe/Berlin", "2025-03-30T03:00:00"), "2025-03-30T01:00:00Z");
}

TEST(NextMoment, ComesOnceInANightOfTwentyFiveHours) {
  EXPECT_EQ(next("30 2 * * *", "Europe/Berlin", "2025-10-25T22:00:00Z"), "2025-10-26T00:30:00Z");
  EXPECT_EQ(next("30 2 * * *", "Europe/Berlin", "2025-10-26T00:30:00Z"), "2025-10-27T01:30:00Z");
  EXPECT_EQ(next("30 2 * * *", "Europe/Berlin", "2025-10-26T01:15:00Z"), "2025-10-27T01:30:00Z");
}

TEST(NextMoment, ComesInANightOfTwentyThreeHours) {
  EXPECT_EQ(next("30 2 * * *", "Europe/Berlin", "2025-03-29T22:00:00Z"), "2025-03-30T01:00:00Z");
  EXPECT_EQ(next("30 2 * * *", "Europe/Berlin", "2025-03-30T01:00:00Z"), "2025-03-31T00:30:00Z");
}

TEST(NextMoment, MayNeverCome) {
  EXPECT_EQ(next("0 0 31 4 *", "Europe/Berlin", "2025-03-29T22:00:00Z"), "never");
}

TEST(ReadTimeZone, SaysWhatToDoAboutANameThatIsNone) {
  for (const auto* name : {"Europe/Berlino", "", "/etc/passwd", "../zoneinfo/UTC", "Europe"})
    EXPECT_THAT(read_time_zone(name).error().message, HasSubstr("take a name of the IANA database")) << name;
}

TEST(TimeZone, IsNotMadeOfOtherFiles) {
  EXPECT_FALSE(TimeZone::parse("TZif"));
  EXPECT_FALSE(TimeZone::parse(std::string(100, '\0')));
}

}  // namespace
}  // namespace capstan
