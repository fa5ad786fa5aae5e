#include "api/conditions/conditions.h"

#include <gmock/gmock.h>

#include "api/conditions/limits.h"
#include "api/names.h"

namespace capstan::api::conditions {
namespace {

using ::testing::ElementsAre;

constexpr Time kThen = Time::from_unix(1000);
constexpr Time kNow = Time::from_unix(2000);
constexpr std::int64_t kGeneration = 7;

std::vector<std::string> types(const Conditions& list) {
  std::vector<std::string> names;
  for (const auto& each : list) names.push_back(each.type.str());
  return names;
}

Conditions one_true(std::string_view type) {
  Conditions list;
  set(list, make(type, status::kTrue, "Fine"), kGeneration, kThen);
  return list;
}

TEST(SetCondition, StampsANewConditionWithTimeAndGeneration) {
  Conditions list;

  EXPECT_TRUE(set(list, make("Ready", status::kTrue, "Fine", "all well"), kGeneration, kNow));

  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].last_transition_time, kNow);
  EXPECT_EQ(list[0].observed_generation, kGeneration);
  EXPECT_EQ(list[0].message, "all well");
}

TEST(SetCondition, KeepsTheTransitionTimeWhileOnlyReasonAndMessageChange) {
  auto list = one_true("Ready");

  EXPECT_TRUE(set(list, make("Ready", status::kTrue, "StillFine", "other words"), kGeneration, kNow));

  EXPECT_EQ(list[0].last_transition_time, kThen);
  EXPECT_EQ(list[0].reason, "StillFine");
}

TEST(SetCondition, MovesTheTransitionTimeWithTheStatus) {
  auto list = one_true("Ready");

  EXPECT_TRUE(set(list, make("Ready", status::kFalse, "Broken"), kGeneration, kNow));

  EXPECT_EQ(list[0].last_transition_time, kNow);
}

TEST(SetCondition, TakesTheTimeOfAMirroredConditionWhenTheStatusChanges) {
  auto list = one_true("Ready");
  auto mirrored = make("Ready", status::kFalse, "Broken");
  mirrored.last_transition_time = Time::from_unix(1500);

  set(list, mirrored, kGeneration, kNow);

  EXPECT_EQ(list[0].last_transition_time, Time::from_unix(1500));
}

TEST(SetCondition, SaysWhenNothingChanged) {
  auto list = one_true("Ready");

  EXPECT_FALSE(set(list, make("Ready", status::kTrue, "Fine"), kGeneration, kNow));
}

TEST(SetCondition, CountsAnotherGenerationAsAChange) {
  auto list = one_true("Ready");

  EXPECT_TRUE(set(list, make("Ready", status::kTrue, "Fine"), kGeneration + 1, kNow));
  EXPECT_EQ(list[0].observed_generation, kGeneration + 1);
}

// A server refuses the whole status for one message that is too long.
TEST(SetCondition, CutsAMessageThatNoServerWouldTake) {
  Conditions list;
  const std::string euros = [] {
    std::string text = "x";
    while (text.size() <= kMaxMessage) text += "\u20ac";
    return text;
  }();

  EXPECT_TRUE(set(list, make("Ready", status::kFalse, "Broken", euros), kGeneration, kNow));
  EXPECT_FALSE(set(list, make("Ready", status::kFalse, "Broken", euros), kGeneration, kNow));

  const std::string shown = list[0].message.str();
  EXPECT_LE(shown.size(), kMaxMessage);
  EXPECT_GT(shown.size(), kMaxMessage - 8);
  EXPECT_TRUE(shown.ends_with("\u20ac..."));
}

TEST(SetCondition, LeavesTheLongestMessageAServerTakesAsItIs) {
  Conditions list;
  const std::string longest(kMaxMessage, 'x');

  EXPECT_TRUE(set(list, make("Ready", status::kFalse, "Broken", longest), kGeneration, kNow));

  EXPECT_EQ(list[0].message, longest);
}

TEST(ConditionOrder, PutsTheNewsFirstStrangersByNameAndPausedAndDeletingLast) {
  Conditions list;
  for (const auto type :
       {"Deleting", "Zebra", "Paused", "NodeReady", "ScalingUp", "ScalingDown", "Apple", "Ready",
        "NodeHealthy", "Available", "UpToDate", "MachinesUpToDate", "MachinesReady", "Updating"}) {
    set(list, make(type, status::kTrue, "Fine"), kGeneration, kNow);
  }

  EXPECT_THAT(types(list), ElementsAre("Available", "Ready", "UpToDate", "NodeHealthy", "NodeReady",
                                       "Updating", "ScalingDown", "ScalingUp", "MachinesReady",
                                       "MachinesUpToDate", "Apple", "Zebra", "Paused", "Deleting"));
}

TEST(FindCondition, TellsTheThreeStatusesApart) {
  Conditions list;
  set(list, make("A", status::kTrue, "R"), kGeneration, kNow);
  set(list, make("B", status::kFalse, "R"), kGeneration, kNow);
  set(list, make("C", status::kUnknown, "R"), kGeneration, kNow);

  EXPECT_TRUE(is_true(list, "A") && !is_false(list, "A"));
  EXPECT_TRUE(!is_true(list, "B") && is_false(list, "B"));
  EXPECT_TRUE(!is_true(list, "C") && !is_false(list, "C"));
}

TEST(FindCondition, AMissingConditionIsNeitherTrueNorFalse) {
  EXPECT_EQ(find({}, "Ready"), nullptr);
  EXPECT_FALSE(is_true({}, "Ready"));
  EXPECT_FALSE(is_false({}, "Ready"));
}

TEST(RemoveCondition, SaysWhetherThereWasOne) {
  auto list = one_true("Ready");

  EXPECT_FALSE(remove(list, "Available"));
  EXPECT_TRUE(remove(list, "Ready"));
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace capstan::api::conditions
