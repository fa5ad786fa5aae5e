#include "base/duration.h"

#include <gtest/gtest.h>

#include <limits>

namespace capstan {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

struct Pair {
  std::string_view text;
  std::int64_t nanoseconds;
};

// The values were recorded by running Go's time.ParseDuration.
TEST(ParseDuration, ReadsWhatGoReads) {
  for (const auto& [text, nanoseconds] :
       std::initializer_list<Pair>{{"0", 0},
                                   {"-0", 0},
                                   {"1h", 3'600'000'000'000},
                                   {"1.5h", 5'400'000'000'000},
                                   {"-1.5s", -1'500'000'000},
                                   {"+5s", 5'000'000'000},
                                   {"300ms", 300'000'000},
                                   {"1us", 1'000},
                                   {"1\u00b5s", 1'000},
                                   {"1\u03bcs", 1'000},
                                   {"0.5ns", 0},
                                   {"1.9999ns", 1},
                                   {".5s", 500'000'000},
                                   {"5.s", 5'000'000'000},
                                   {"1m1s1h", 3'661'000'000'000},
                                   {"0.100000000000000000000h", 360'000'000'000},
                                   {"0.3333333333333333333h", 1'200'000'000'000},
                                   {"0.830103483285477580700h", 2'988'372'539'827},
                                   {"9223372036854775807ns", kMax},
                                   {"2562047h47m16.854775807s", kMax},
                                   {"-9223372036854775808ns", kMin}}) {
    const auto span = parse_duration(text);

    ASSERT_TRUE(span) << text;
    EXPECT_EQ(span->count(), nanoseconds) << text;
  }
}

TEST(ParseDuration, RefusesWhatGoRefuses) {
  for (const std::string_view text :
       {"", "1", "s", ".s", "1h 2m", "1d", "-", "+", "--1s", "1h-1m", "1.1.1s", "1S", "00", "1e3s",
        "3000000h", "9223372036854775808ns", "-9223372036854775809ns", "2562047h47m16.854775808s"}) {
    const auto span = parse_duration(text);

    ASSERT_FALSE(span) << text;
    EXPECT_EQ(span.error().code, Code::Invalid);
  }
}

TEST(FormatDuration, PrintsAsGoPrints) {
  for (const auto& [text, nanoseconds] :
       std::initializer_list<Pair>{{"0s", 0},
                                   {"1ns", 1},
                                   {"-1ns", -1},
                                   {"1\u00b5s", 1'000},
                                   {"1.001\u00b5s", 1'001},
                                   {"999.999\u00b5s", 999'999},
                                   {"1.5ms", 1'500'000},
                                   {"1s", 1'000'000'000},
                                   {"-1.5s", -1'500'000'000},
                                   {"1m0s", 60'000'000'000},
                                   {"1m40s", 100'000'000'000},
                                   {"1h0m0s", 3'600'000'000'000},
                                   {"25h1m1.000000001s", 90'061'000'000'001},
                                   {"277777h46m40s", 1'000'000'000'000'000'000},
                                   {"2562047h47m16.854775807s", kMax},
                                   {"-2562047h47m16.854775808s", kMin}}) {
    EXPECT_EQ(format_duration(Nanoseconds(nanoseconds)), text);
  }
}

}  // namespace
}  // namespace capstan
