#include "base/cron.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/time.h"

namespace capstan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LocalTime local(std::string_view text) {
  return LocalTime(Seconds(Time::parse(std::string(text) + "Z")->unix_seconds()));
}

// The first few moments after `from`.
std::vector<std::string> moments(std::string_view cron, std::string_view from, int count = 1) {
  std::vector<std::string> list;
  LocalTime at = local(from);
  for (int i = 0; i < count; ++i) {
    const auto next = Cron::parse(cron)->next(at);
    if (!next) {
      list.emplace_back("never");
      break;
    }
    at = *next;
    list.push_back(Time::from_unix(at.time_since_epoch().count()).to_string().substr(0, 16));
  }
  return list;
}

std::string refusal(std::string_view cron) {
  const auto parsed = Cron::parse(cron);
  return parsed ? "it was understood" : parsed.error().message;
}

TEST(Cron, ComesAtItsMinuteAndHour) {
  EXPECT_THAT(moments("30 2 * * *", "2025-06-01T02:29:59", 2),
              ElementsAre("2025-06-01T02:30", "2025-06-02T02:30"));
}

TEST(Cron, IsLaterThanTheMomentItself) {
  EXPECT_THAT(moments("30 2 * * *", "2025-06-01T02:30:00"), ElementsAre("2025-06-02T02:30"));
}

TEST(Cron, HasListsRangesAndSteps) {
  EXPECT_THAT(moments("0,30 8-9 * * *", "2025-06-01T00:00:00", 4),
              ElementsAre("2025-06-01T08:00", "2025-06-01T08:30", "2025-06-01T09:00", "2025-06-01T09:30"));
  EXPECT_THAT(moments("10-40/15 5 * * *", "2025-06-01T00:00:00", 3),
              ElementsAre("2025-06-01T05:10", "2025-06-01T05:25", "2025-06-01T05:40"));
  EXPECT_THAT(moments("50/5 5 * * *", "2025-06-01T00:00:00", 3),
              ElementsAre("2025-06-01T05:50", "2025-06-01T05:55", "2025-06-02T05:50"));
}

TEST(Cron, KnowsNamesInAnyCase) {
  EXPECT_THAT(moments("0 2 * * SAT", "2025-06-01T00:00:00"), ElementsAre("2025-06-07T02:00"));
  EXPECT_THAT(moments("0 2 1 feb *", "2025-06-01T00:00:00"), ElementsAre("2026-02-01T02:00"));
  EXPECT_THAT(moments("0 2 * * Mon-wed", "2025-06-05T00:00:00"), ElementsAre("2025-06-09T02:00"));
}

TEST(Cron, HasTwoNumbersForSunday) {
  EXPECT_THAT(moments("0 2 * * 0", "2025-06-02T00:00:00"), ElementsAre("2025-06-08T02:00"));
  EXPECT_THAT(moments("0 2 * * 7", "2025-06-02T00:00:00"), ElementsAre("2025-06-08T02:00"));
  EXPECT_THAT(moments("0 2 * * 6-7", "2025-06-02T00:00:00", 2),
              ElementsAre("2025-06-07T02:00", "2025-06-08T02:00"));
}

// 13 June 2025 is a Friday.
TEST(Cron, TakesEitherDayWhenBothAreRestricted) {
  EXPECT_THAT(moments("0 0 10 * FRI", "2025-06-09T00:00:00", 3),
              ElementsAre("2025-06-10T00:00", "2025-06-13T00:00", "2025-06-20T00:00"));
}

TEST(Cron, TakesBothDaysWhenOneBeginsWithAStar) {
  EXPECT_THAT(moments("0 0 */2 * FRI", "2025-06-09T00:00:00", 2),
              ElementsAre("2025-06-13T00:00", "2025-06-27T00:00"));
}

TEST(Cron, FindsTheLeapDayOverAYearWithoutOne) {
  EXPECT_THAT(moments("0 0 29 2 *", "2096-03-01T00:00:00"), ElementsAre("2104-02-29T00:00"));
}

TEST(Cron, MayNeverCome) { EXPECT_THAT(moments("0 0 30 2 *", "2025-06-01T00:00:00"), ElementsAre("never")); }

TEST(Cron, SaysWhichFieldIsWrong) {
  EXPECT_THAT(refusal("0 24 * * *"), HasSubstr("the hour \"24\" is none of 0 to 23"));
  EXPECT_THAT(refusal("0 2 0 * *"), HasSubstr("the day of the month \"0\""));
  EXPECT_THAT(refusal("0 2 * * SA"), HasSubstr("the day of the week \"SA\""));
  EXPECT_THAT(refusal("0 2 * 13 *"), HasSubstr("the month \"13\""));
  EXPECT_THAT(refusal("*/0 2 * * *"), HasSubstr("the minute \"*/0\""));
  EXPECT_THAT(refusal("5-1 2 * * *"), HasSubstr("the minute \"5-1\""));
  EXPECT_THAT(refusal("1,,2 2 * * *"), HasSubstr("the minute \"1,,2\""));
  EXPECT_THAT(refusal("0 2 * *"), HasSubstr("has 4 fields: write five"));
  EXPECT_THAT(refusal("@daily"), HasSubstr("has 1 fields"));
}

}  // namespace
}  // namespace capstan
