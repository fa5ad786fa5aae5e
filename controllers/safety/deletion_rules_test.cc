#include "controllers/safety/deletion_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/safety/read_windows.h"

namespace capstan::controllers::safety {
namespace {

using testing::HasSubstr;

constexpr Time kNoon = Time::from_unix(1'767'268'800);  // 2026-01-01T12:00:00Z

Windows every_day_at(std::string_view hour, std::string of) {
  const std::vector<api::PolicyWindow> windows = {{.cron = Text("0 " + std::string(hour) + " * * *"),
                                                   .duration_seconds = 3600,
                                                   .intents = {Text("ScaleIn")}}};
  return read_windows(windows, std::move(of));
}

TEST(DeletionRules, WaitForTheWindowsOfBothPolicies) {
  const DeletionRules open{.windows = {every_day_at("12", "care")},
                           .fleet_windows = every_day_at("12", "fleet")};
  const DeletionRules by_own{.windows = {every_day_at("2", "care")},
                             .fleet_windows = every_day_at("12", "fleet")};
  const DeletionRules by_fleet{.windows = {every_day_at("12", "care")},
                               .fleet_windows = every_day_at("2", "fleet")};

  EXPECT_TRUE(ask_windows(open, Cause::ScaleIn, kNoon).open);
  EXPECT_THAT(ask_windows(by_own, Cause::ScaleIn, kNoon).why, HasSubstr("care"));
  EXPECT_THAT(ask_windows(by_fleet, Cause::ScaleIn, kNoon).why, HasSubstr("fleet"));
  EXPECT_TRUE(ask_windows(by_fleet, Cause::Remediation, kNoon).open) << "no window is for that";
}

TEST(DeletionRules, OfAFleetHoldWhatNoOtherPolicyGoverns) {
  const DeletionRules rules{.fleet_windows = every_day_at("2", "FleetPolicy fleet")};

  const auto verdict = ask_windows(rules, Cause::ScaleIn, kNoon);

  EXPECT_FALSE(verdict.open);
  EXPECT_EQ(verdict.opens_in, Seconds(14 * 3600));
}

}  // namespace
}  // namespace capstan::controllers::safety
