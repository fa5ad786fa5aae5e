#include "api/conditions/three_way.h"

#include <gtest/gtest.h>

#include <array>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "api/names.h"

namespace capstan::api::conditions {
namespace {

constexpr Time kThen = Time::from_unix(1000);
constexpr std::array<std::string_view, 1> kOwnsReady = {"Ready"};

Condition is(std::string_view type, std::string_view status, std::string_view reason = "R") {
  auto condition = make(type, status, reason);
  condition.last_transition_time = kThen;
  return condition;
}

TEST(ThreeWayMerge, KeepsWhatOthersWroteBesideOurs) {
  const Conditions before = {is("Ready", "True")};
  const Conditions after = {is("Ready", "False")};
  const Conditions latest = {is("Ready", "True"), is("HealthCheckSucceeded", "False")};

  const auto merged = merge_into(latest, {.before = before, .after = after, .owned = kOwnsReady});

  ASSERT_TRUE(merged);
  EXPECT_TRUE(is_false(*merged, "Ready"));
  EXPECT_TRUE(is_false(*merged, "HealthCheckSucceeded"));
}

TEST(ThreeWayMerge, LetsOurOwnTypeWin) {
  const auto merged = merge_into({is("Ready", "Unknown")}, {.before = Conditions{is("Ready", "True")},
                                                            .after = Conditions{is("Ready", "False")},
                                                            .owned = kOwnsReady});

  ASSERT_TRUE(merged);
  EXPECT_TRUE(is_false(*merged, "Ready"));
}

TEST(ThreeWayMerge, RefusesToOverwriteAForeignChange) {
  const auto merged = merge_into({is("UpToDate", "Unknown")}, {.before = Conditions{is("UpToDate", "True")},
                                                               .after = Conditions{is("UpToDate", "False")}});

  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().code, Code::Conflict);
}

TEST(ThreeWayMerge, AgreesWhenSomebodyElseDidTheSame) {
  auto theirs = is("UpToDate", "False");
  theirs.last_transition_time = Time::from_unix(1234);

  const auto merged = merge_into(
      {theirs}, {.before = Conditions{is("UpToDate", "True")}, .after = Conditions{is("UpToDate", "False")}});

  ASSERT_TRUE(merged);
  EXPECT_EQ(find(*merged, "UpToDate")->last_transition_time, Time::from_unix(1234));
}

TEST(ThreeWayMerge, ChangesAForeignTypeNobodyElseTouched) {
  const auto merged = merge_into({is("UpToDate", "True")}, {.before = Conditions{is("UpToDate", "True")},
                                                            .after = Conditions{is("UpToDate", "False")}});

  ASSERT_TRUE(merged);
  EXPECT_TRUE(is_false(*merged, "UpToDate"));
}

TEST(ThreeWayMerge, RefusesWhenTheConditionWeChangedIsGone) {
  EXPECT_FALSE(merge_into(
      {}, {.before = Conditions{is("UpToDate", "True")}, .after = Conditions{is("UpToDate", "False")}}));
}

TEST(ThreeWayMerge, AddsAndRemoves) {
  const auto merged = merge_into(
      {is("Old", "True")}, {.before = Conditions{is("Old", "True")}, .after = Conditions{is("New", "True")}});

  ASSERT_TRUE(merged);
  EXPECT_EQ(find(*merged, "Old"), nullptr);
  EXPECT_NE(find(*merged, "New"), nullptr);
}

TEST(ThreeWayMerge, RefusesToRemoveWhatSomebodyElseChanged) {
  EXPECT_FALSE(merge_into({is("Old", "False")}, {.before = Conditions{is("Old", "True")}, .after = {}}));
}

TEST(ThreeWayMerge, RemovesOurOwnTypeWhateverItSays) {
  const auto merged = merge_into(
      {is("Ready", "False")}, {.before = Conditions{is("Ready", "True")}, .after = {}, .owned = kOwnsReady});

  ASSERT_TRUE(merged);
  EXPECT_TRUE(merged->empty());
}

TEST(ThreeWayMerge, RefusesToAddWhatSomebodyElseAddedDifferently) {
  EXPECT_FALSE(merge_into({is("New", "False")}, {.before = {}, .after = Conditions{is("New", "True")}}));
}

TEST(ThreeWayMergeV1Beta1, FollowsTheSameRules) {
  const V1Beta1Conditions before = {v1beta1::yes("Ready")};
  const V1Beta1Conditions after = {v1beta1::no("Ready", "R", severity::kInfo)};
  const V1Beta1Conditions latest = {v1beta1::yes("Ready"), v1beta1::yes("OwnerRemediated")};

  const auto merged =
      merge_into(latest, ThreeWayV1Beta1{.before = before, .after = after, .owned = kOwnsReady}, kThen);

  ASSERT_TRUE(merged);
  EXPECT_TRUE(v1beta1::is_false(*merged, "Ready"));
  EXPECT_TRUE(v1beta1::is_true(*merged, "OwnerRemediated"));
  EXPECT_EQ(v1beta1::find(*merged, "Ready")->last_transition_time, kThen);
}

TEST(ThreeWayMergeV1Beta1, RefusesToOverwriteAForeignChange) {
  const V1Beta1Conditions before = {v1beta1::yes("Ready")};
  const V1Beta1Conditions after = {v1beta1::no("Ready", "R", severity::kInfo)};
  const V1Beta1Conditions latest = {v1beta1::no("Ready", "Other", severity::kError)};

  EXPECT_FALSE(merge_into(latest, ThreeWayV1Beta1{.before = before, .after = after}, kThen));
}

}  // namespace
}  // namespace capstan::api::conditions
