#include "base/int_or_string.h"

#include <gtest/gtest.h>

namespace capstan {
namespace {

struct Scaled {
  std::int32_t up;
  std::int32_t down;
  bool operator==(const Scaled&) const = default;
};

Scaled scaled(std::string_view text, std::int32_t total) {
  const IntOrString value{Text(text)};
  return {.up = scaled_value(value, total, Rounding::Up).value(),
          .down = scaled_value(value, total, Rounding::Down).value()};
}

TEST(ScaledValue, TakesANumberAsItIs) {
  EXPECT_EQ(scaled_value(IntOrString(3), 10, Rounding::Up), 3);
  EXPECT_EQ(scaled_value(IntOrString(-3), 10, Rounding::Down), -3);
}

// Recorded by running Kubernetes' own function.
TEST(ScaledValue, RoundsAsKubernetesRounds) {
  EXPECT_EQ(scaled("10%", 0), (Scaled{0, 0}));
  EXPECT_EQ(scaled("10%", 3), (Scaled{1, 0}));
  EXPECT_EQ(scaled("10%", 10), (Scaled{1, 1}));
  EXPECT_EQ(scaled("33%", 7), (Scaled{3, 2}));
  EXPECT_EQ(scaled("33%", 100), (Scaled{33, 33}));
  EXPECT_EQ(scaled("101%", 7), (Scaled{8, 7}));
  EXPECT_EQ(scaled("+5%", 7), (Scaled{1, 0}));
  EXPECT_EQ(scaled("-5%", 7), (Scaled{0, -1}));
  EXPECT_EQ(scaled("99999999999%", 1), (Scaled{1'000'000'000, 999'999'999}));
}

TEST(ScaledValue, StopsAtTheEndsOfThirtyTwoBits) {
  EXPECT_EQ(scaled("99999999999%", 100), (Scaled{2'147'483'647, 2'147'483'647}));
  EXPECT_EQ(scaled("-99999999999%", 100), (Scaled{-2'147'483'647 - 1, -2'147'483'647 - 1}));
}

TEST(ScaledValue, RefusesEveryOtherString) {
  for (const std::string_view text : {"", "5", "%", "5%%", "5.5%", " 5%", "5 %", "abc%", "0x10%", "1_0%",
                                      "+-5%", "++5%", "9223372036854775808%"}) {
    const auto value = scaled_value(IntOrString(Text(text)), 10, Rounding::Up);

    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code, Code::Invalid);
  }
}

TEST(IntOrString, TellsNumberFromString) {
  EXPECT_NE(IntOrString(5), IntOrString(Text("5")));
  EXPECT_EQ(IntOrString(5).to_string(), "5");
  EXPECT_EQ(IntOrString(Text("25%")).to_string(), "25%");
  EXPECT_TRUE(IntOrString(Text("")).is_string());
  EXPECT_FALSE(IntOrString().is_string());
}

}  // namespace
}  // namespace capstan
