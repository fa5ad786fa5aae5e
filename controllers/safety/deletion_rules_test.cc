#include "controllers/safety/deletion_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/safety/read_windows.h"

namespace capstan::controllers::safety {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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

TEST(DeletionRules, SayWhenTheWindowsOfBothAreOpen) {
  const auto windows = [](std::string_view cron, std::int32_t duration, std::string of) {
    return read_windows(
        std::vector<api::PolicyWindow>{
            {.cron = Text(cron), .duration_seconds = duration, .intents = {Text("ScaleIn")}}},
        std::move(of));
  };
  const auto ask = [&](std::string_view own, std::string_view fleet, Time now = kNoon) {
    const DeletionRules rules{.windows = {windows(own, 5400, "care")},
                              .fleet_windows = windows(fleet, 3600, "fleet")};
    return ask_windows(rules, Cause::ScaleIn, now);
  };

  const auto both_shut = ask("0 14 * * *", "0 15 * * *");
  EXPECT_THAT(
      both_shut.why,
      HasSubstr("outside the windows of care for ScaleIn: the next one opens at 2026-01-01T14:00:00Z"));
  EXPECT_THAT(
      both_shut.why,
      HasSubstr("outside the windows of fleet for ScaleIn: the next one opens at 2026-01-01T15:00:00Z"));
  EXPECT_THAT(both_shut.why,
              HasSubstr("; the windows of care and fleet are open together from 2026-01-01T15:00:00Z on"));
  EXPECT_EQ(both_shut.opens_in, std::chrono::hours(2)) << "another one is named from then on";

  const auto one_shut = ask("0 14 * * *", "0 15 * * *", kNoon + std::chrono::hours(2));
  EXPECT_THAT(one_shut.why, AllOf(HasSubstr("fleet for ScaleIn: the next one"), Not(HasSubstr("together"))));

  const auto too_early = ask("0 12 * * *", "0 14,18 * * *");
  EXPECT_THAT(too_early.why, HasSubstr("care and fleet are open together at none of the next 100 openings"));
  EXPECT_FALSE(too_early.open);
}

TEST(DeletionRules, OfAFleetHoldWhatNoOtherPolicyGoverns) {
  const DeletionRules rules{.fleet_windows = every_day_at("2", "FleetPolicy fleet")};

  const auto verdict = ask_windows(rules, Cause::ScaleIn, kNoon);

  EXPECT_FALSE(verdict.open);
  EXPECT_EQ(verdict.opens_in, Seconds(14 * 3600));
}

}  // namespace
}  // namespace capstan::controllers::safety
