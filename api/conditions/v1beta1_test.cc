#include "api/conditions/v1beta1.h"

#include <gmock/gmock.h>

#include "api/conditions/limits.h"
#include "api/names.h"

namespace capstan::api::conditions::v1beta1 {
namespace {

using ::testing::ElementsAre;

constexpr Time kThen = Time::from_unix(1000);
constexpr Time kNow = Time::from_unix(2000);

TEST(SetV1Beta1, MovesTheTransitionTimeWithAnyChange) {
  V1Beta1Conditions list;
  set(list, no("Ready", "Broken", severity::kError, "one"), kThen);

  EXPECT_TRUE(set(list, no("Ready", "Broken", severity::kError, "two"), kNow));

  EXPECT_EQ(list[0].last_transition_time, kNow);
}

TEST(SetV1Beta1, LeavesAnEqualConditionAlone) {
  V1Beta1Conditions list;
  set(list, no("Ready", "Broken", severity::kError, "one"), kThen);

  EXPECT_FALSE(set(list, no("Ready", "Broken", severity::kError, "one"), kNow));

  EXPECT_EQ(list[0].last_transition_time, kThen);
}

TEST(SetV1Beta1, PutsReadyFirstAndTheRestByName) {
  V1Beta1Conditions list;
  for (const auto type : {"Zebra", "Ready", "Apple"}) set(list, yes(type), kNow);

  std::vector<std::string> types;
  for (const auto& each : list) types.push_back(each.type.str());
  EXPECT_THAT(types, ElementsAre("Ready", "Apple", "Zebra"));
}

TEST(SetV1Beta1, CutsAMessageThatNoServerWouldTake) {
  V1Beta1Conditions list;
  const auto wanted = no("Ready", "Broken", severity::kError, std::string(kMaxV1Beta1Message + 1, 'x'));

  EXPECT_TRUE(set(list, wanted, kThen));
  EXPECT_FALSE(set(list, wanted, kNow));

  EXPECT_EQ(list[0].message.view().size(), kMaxV1Beta1Message);
  EXPECT_TRUE(list[0].message.view().ends_with("x..."));
}

TEST(SummaryV1Beta1, TakesTheWorst) {
  const V1Beta1Conditions list = {yes("A"), no("B", "Slow", severity::kInfo, "b"),
                                  no("C", "Dead", severity::kError, "c"),
                                  no("D", "Odd", severity::kWarning, "d"), unknown("E", "Eh")};

  const auto ready = summary(list, {.types = {"A", "B", "C", "D", "E"}});

  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->type, "Ready");
  EXPECT_EQ(ready->status, "False");
  EXPECT_EQ(ready->severity, "Error");
  EXPECT_EQ(ready->reason, "Dead");
  EXPECT_EQ(ready->message, "c");
}

TEST(SummaryV1Beta1, CountsTrueBeforeUnknown) {
  EXPECT_EQ(summary(V1Beta1Conditions{yes("A"), unknown("B", "Eh")}, {})->status, "True");
}

TEST(SummaryV1Beta1, IsBareWhenTrue) {
  const auto ready = summary(V1Beta1Conditions{yes("A")}, {});

  EXPECT_EQ(ready->reason, "");
  EXPECT_EQ(ready->severity, "");
}

TEST(SummaryV1Beta1, LetsTheOrderOfTypesPickTheSpeaker) {
  const V1Beta1Conditions list = {no("A", "FromA", severity::kInfo), no("B", "FromB", severity::kInfo)};

  EXPECT_EQ(summary(list, {.types = {"B", "A"}})->reason, "FromB");
  EXPECT_EQ(summary(list, {.types = {"A", "B"}})->reason, "FromA");
}

TEST(SummaryV1Beta1, CountsSteps) {
  const V1Beta1Conditions list = {yes("BootstrapReady"),
                                  no("InfrastructureReady", "Waiting", severity::kInfo, "words")};

  const auto ready =
      summary(list, {.types = {"InfrastructureReady", "BootstrapReady", "HealthCheckSucceeded"},
                     .step_counter = true,
                     .step_counter_only_for = {{"InfrastructureReady", "BootstrapReady"}}});

  EXPECT_EQ(ready->message, "1 of 2 completed");
}

TEST(SummaryV1Beta1, CountsNoStepsOnceAnotherConditionIsThere) {
  const V1Beta1Conditions list = {no("HealthCheckSucceeded", "Sick", severity::kWarning, "sick"),
                                  no("InfrastructureReady", "Waiting", severity::kInfo, "words")};

  const auto ready =
      summary(list, {.types = {"InfrastructureReady", "BootstrapReady", "HealthCheckSucceeded"},
                     .step_counter = true,
                     .step_counter_only_for = {{"InfrastructureReady", "BootstrapReady"}}});

  EXPECT_EQ(ready->message, "sick");
}

TEST(SummaryV1Beta1, SaysNothingAboutNothing) {
  EXPECT_FALSE(summary(V1Beta1Conditions{yes("Ready")}, {}));
  EXPECT_FALSE(summary(V1Beta1Conditions{yes("A")}, {.types = {"B"}}));
}

TEST(MirrorV1Beta1, ShowsTheSourceUnderOurType) {
  auto source = yes("Ready");
  source.reason = "AllFine"_text;
  source.last_transition_time = kThen;

  const auto mirrored = mirror(&source, "InfrastructureReady");

  ASSERT_TRUE(mirrored);
  EXPECT_EQ(mirrored->type, "InfrastructureReady");
  EXPECT_EQ(mirrored->reason, "AllFine");
  EXPECT_EQ(mirrored->last_transition_time, kThen);
}

TEST(MirrorV1Beta1, FallsBack) {
  const Fallback waiting{.value = false, .reason = "WaitingForInfrastructure", .severity = severity::kInfo};

  EXPECT_EQ(mirror(nullptr, "InfrastructureReady", waiting)->reason, "WaitingForInfrastructure");
  EXPECT_EQ(mirror(nullptr, "InfrastructureReady", Fallback{.value = true, .reason = "Unused"})->reason, "");
  EXPECT_FALSE(mirror(nullptr, "InfrastructureReady"));
}

TEST(AggregateV1Beta1, CountsStepsAndNamesTheObject) {
  const auto waiting = no("Ready", "WaitingForInfrastructure", severity::kInfo, "1 of 2 completed");
  const auto fine = yes("Ready");

  const auto all = aggregate(
      std::vector<Contribution>{
          {"Machine", "m2", &waiting}, {"Machine", "m1", &waiting}, {"Machine", "m3", &fine}},
      "MachinesReady");

  ASSERT_TRUE(all);
  EXPECT_EQ(all->status, "False");
  EXPECT_EQ(all->severity, "Info");
  EXPECT_EQ(all->reason, "WaitingForInfrastructure @ Machine/m1");
  EXPECT_EQ(all->message, "1 of 3 completed");
}

TEST(AggregateV1Beta1, KeepsAReasonThatNamesItsObjectAlready) {
  const auto waiting = no("Ready", "Slow @ DockerMachine/d", severity::kInfo);

  EXPECT_EQ(aggregate(std::vector<Contribution>{{"Machine", "m1", &waiting}}, "MachinesReady")->reason,
            "Slow @ DockerMachine/d");
}

TEST(AggregateV1Beta1, IsSilentUntilAnObjectReports) {
  EXPECT_FALSE(aggregate(std::vector<Contribution>{{"Machine", "m1", nullptr}}, "MachinesReady"));
}

}  // namespace
}  // namespace capstan::api::conditions::v1beta1
