#include "base/time.h"

#include <gtest/gtest.h>

namespace capstan {
namespace {

using std::chrono::hours;

std::string reprinted(std::string_view text) {
  const auto time = Time::parse(text);
  return time ? time->to_string() : "refused";
}

std::string micro_reprinted(std::string_view text) {
  const auto time = MicroTime::parse(text);
  return time ? time->to_string() : "refused";
}

// What Go's reader does with the same texts was recorded by running it.
TEST(Time, ReadsWhatKubernetesReads) {
  EXPECT_EQ(reprinted("2006-01-02T15:04:05Z"), "2006-01-02T15:04:05Z");
  EXPECT_EQ(reprinted("2006-01-02T15:04:05.999999999Z"), "2006-01-02T15:04:05Z");
  EXPECT_EQ(reprinted("2006-01-02T15:04:05,5Z"), "2006-01-02T15:04:05Z");
  EXPECT_EQ(reprinted("2006-01-02T15:04:05+02:00"), "2006-01-02T13:04:05Z");
  EXPECT_EQ(reprinted("2006-01-02T15:04:05-23:59"), "2006-01-03T15:03:05Z");
  EXPECT_EQ(reprinted("2006-01-02T15:04:05+24:60"), "2006-01-01T14:04:05Z");
  EXPECT_EQ(reprinted("2006-01-02T1:04:05Z"), "2006-01-02T01:04:05Z");
  EXPECT_EQ(reprinted("2004-02-29T00:00:00Z"), "2004-02-29T00:00:00Z");
}

TEST(Time, RefusesWhatKubernetesRefuses) {
  for (const std::string_view text :
       {"", "2006-01-02", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z ", "2006-01-02T15:04:05.Z",
        "2006-01-02T15:04:05+25:00", "2006-01-02T15:04:05+0200", "2006-01-02t15:04:05z",
        "2006-01-02 15:04:05Z", "2006-01-02T24:00:00Z", "2006-01-02T23:60:00Z", "2006-01-02T23:59:60Z",
        "2006-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2006-13-01T00:00:00Z", "2006-01-00T00:00:00Z",
        "2006-1-02T15:04:05Z", "2006-01-02T15:4:05Z", "-006-01-02T15:04:05Z"}) {
    const auto time = Time::parse(text);

    ASSERT_FALSE(time) << text;
    EXPECT_EQ(time.error().code, Code::Invalid);
    EXPECT_NE(time.error().message.find('"' + std::string(text) + '"'), std::string::npos);
  }
}

TEST(Time, UnsetIsNoTimeAndSortsFirst) {
  EXPECT_FALSE(Time().is_set());
  EXPECT_EQ(Time().to_string(), "");
  EXPECT_LT(Time(), Time::from_unix(0));
  EXPECT_FALSE(Time::parse("0001-01-01T00:00:00Z")->is_set());
}

TEST(Time, TheEpochIsATime) {
  EXPECT_TRUE(Time::from_unix(0).is_set());
  EXPECT_EQ(Time::from_unix(0).to_string(), "1970-01-01T00:00:00Z");
}

TEST(Time, FarAwayTimesBecomeTheNearestEnd) {
  EXPECT_EQ(reprinted("1969-12-31T23:59:59Z"), "1970-01-01T00:00:00Z");
  EXPECT_EQ(reprinted("9999-12-31T23:59:59Z"), "2106-02-07T06:28:14Z");
  EXPECT_EQ(Time::from_unix(0) + -Seconds(1), Time::from_unix(0));
}

TEST(Time, CutsTheFractionOfAWallTime) {
  const WallTime wall{Nanoseconds(1'999'999'999)};

  EXPECT_EQ(Time::from(wall), Time::from_unix(1));
  EXPECT_EQ(Time::from(wall).wall(), WallTime(Seconds(1)));
}

TEST(Time, CalculatesInSeconds) {
  const Time noon = Time::parse("2024-02-28T12:00:00Z").value();

  EXPECT_EQ((noon + hours(24)).to_string(), "2024-02-29T12:00:00Z");
  EXPECT_EQ(noon + hours(24) - noon, hours(24));
  EXPECT_EQ(noon - (noon + hours(24)), -hours(24));
}

TEST(MicroTime, ReadsSixDigitsOnly) {
  EXPECT_EQ(micro_reprinted("2006-01-02T15:04:05.123456Z"), "2006-01-02T15:04:05.123456Z");
  EXPECT_EQ(micro_reprinted("2006-01-02T15:04:05.000001+01:00"), "2006-01-02T14:04:05.000001Z");
  EXPECT_EQ(micro_reprinted("2006-01-02T15:04:05Z"), "refused");
  EXPECT_EQ(micro_reprinted("2006-01-02T15:04:05.12345Z"), "refused");
  EXPECT_EQ(micro_reprinted("2006-01-02T15:04:05.1234567Z"), "refused");
}

TEST(MicroTime, KeepsTheYearsKubernetesKeeps) {
  EXPECT_EQ(micro_reprinted("9999-12-31T23:59:59.999999Z"), "9999-12-31T23:59:59.999999Z");
  EXPECT_EQ(micro_reprinted("1969-12-31T23:59:59.500000Z"), "1969-12-31T23:59:59.500000Z");
  EXPECT_EQ(MicroTime::parse("9999-12-31T23:59:59.999999Z")->wall(),
            WallTime(std::chrono::floor<std::chrono::microseconds>(Nanoseconds::max())));
}

TEST(MicroTime, GoesThroughWallTimeUnharmed) {
  const WallTime wall{Nanoseconds(1'700'000'000'123'456'789)};

  EXPECT_EQ(MicroTime::from(wall).to_string(), "2023-11-14T22:13:20.123456Z");
  EXPECT_EQ(MicroTime::from(MicroTime::from(wall).wall()), MicroTime::from(wall));
}

TEST(MicroTime, UnsetIsNoTime) {
  EXPECT_FALSE(MicroTime().is_set());
  EXPECT_EQ(MicroTime().to_string(), "");
  EXPECT_TRUE(MicroTime::from_unix_micros(0).is_set());
  EXPECT_FALSE(MicroTime::parse("0001-01-01T00:00:00.000000Z")->is_set());
}

}  // namespace
}  // namespace capstan
