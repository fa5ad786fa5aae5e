#include "api/conditions/merge.h"

#include <gmock/gmock.h>

#include "api/conditions/conditions.h"
#include "api/names.h"

namespace capstan::api::conditions {
namespace {

constexpr Time kNow = Time::from_unix(2000);
constexpr Reasons kReady = {
    .issue = reason::kNotReady, .unknown = reason::kReadyUnknown, .info = reason::kReady};

Condition is(std::string_view type, std::string_view status, std::string_view message = {}) {
  return make(type, status, "Because", message);
}

// ---- summary

TEST(Summary, IsTrueAndSilentWhenAllIsWell) {
  const Conditions source = {is("A", "True"), is("!B", "False")};

  const auto result = summary(source, "Ready", {.types = {"A", "!B"}, .negative = {"!B"}, .reasons = kReady});

  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, "True");
  EXPECT_EQ(result->reason, "Ready");
  EXPECT_EQ(result->message, "");
}

TEST(Summary, ListsIssuesAndUnknownsInTheOrderOfTheRules) {
  const Conditions source = {is("C", "Unknown", "no idea"), is("!B", "True", "on fire"),
                             is("A", "True", "fine"), is("D", "False")};

  const auto result =
      summary(source, "Ready", {.types = {"A", "!B", "C", "D"}, .negative = {"!B"}, .reasons = kReady});

  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, "False");
  EXPECT_EQ(result->reason, "NotReady");
  EXPECT_EQ(result->message, "* !B: on fire\n* C: no idea\n* D: Because");
}

TEST(Summary, IsUnknownWhenNothingIsWorse) {
  const auto result = summary(Conditions{is("A", "True"), is("B", "Unknown", "?")}, "Ready",
                              {.types = {"A", "B"}, .reasons = kReady});

  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, "Unknown");
  EXPECT_EQ(result->reason, "ReadyUnknown");
}

TEST(Summary, ShowsGoodNewsOnlyWhenThereIsNothingElse) {
  const Conditions source = {is("A", "True", "by the way"), is("B", "True")};

  EXPECT_EQ(summary(source, "Ready", {.types = {"A", "B"}})->message, "* A: by the way");
}

TEST(Summary, CountsAMissingConditionAsUnknown) {
  const auto result = summary(Conditions{is("A", "True")}, "Ready", {.types = {"A", "B"}});

  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, "Unknown");
  EXPECT_EQ(result->message, "* B: Condition not yet reported");
}

TEST(Summary, IgnoresAMissingConditionWhenTold) {
  const auto result =
      summary(Conditions{is("A", "True")}, "Ready", {.types = {"A", "B"}, .ignore_if_missing = {"B"}});

  EXPECT_EQ(result->status, "True");
}

TEST(Summary, PutsLongMessagesBelow) {
  const Conditions source = {is("Deleting", "True", "Drain not completed yet:\n* Pod ns/a: waiting")};

  EXPECT_EQ(summary(source, "Ready", {.types = {"Deleting"}, .negative = {"Deleting"}})->message,
            "* Deleting:\n  * Drain not completed yet:\n    * Pod ns/a: waiting");
}

TEST(Summary, EvaluatesARepeatedTypeOnceWhereItIsNamedLast) {
  const Conditions source = {is("A", "False", "a"), is("B", "False", "b")};

  EXPECT_EQ(summary(source, "Ready", {.types = {"A", "B", "A"}})->message, "* B: b\n* A: a");
}

TEST(Summary, ReadsOverridesInsteadOfTheList) {
  const Conditions source = {is("Deleting", "True", "many words")};

  const auto result = summary(
      source, "Ready",
      {.types = {"Deleting"}, .negative = {"Deleting"}, .overrides = {is("Deleting", "True", "stage: X")}});

  EXPECT_EQ(result->message, "* Deleting: stage: X");
}

TEST(Summary, LetsTheCallerWeighAConditionAnew) {
  const Conditions source = {make("InfrastructureReady", "False", "ObjectDeleted", "gone"), is("A", "True")};
  const Reprioritize deleted_is_fine = [](const ConditionView& condition, Priority plain) {
    return condition.reason == "ObjectDeleted" ? Priority::Info : plain;
  };

  const auto result =
      summary(source, "Ready", {.types = {"InfrastructureReady", "A"}, .reprioritize = deleted_is_fine});

  EXPECT_EQ(result->status, "True");
  EXPECT_EQ(result->message, "* InfrastructureReady: gone");
}

TEST(Summary, LetsTheCallerEditTheLines) {
  const Conditions source = {is("A", "False", "x"), is("B", "False", "x")};

  const auto result = summary(
      source, "Ready",
      {.types = {"A", "B"}, .edit_lines = [](std::vector<std::string>& lines) { lines = {"* Both: x"}; }});

  EXPECT_EQ(result->message, "* Both: x");
}

TEST(Summary, RefusesItsOwnTarget) {
  EXPECT_FALSE(summary(Conditions{is("Ready", "True")}, "Ready", {.types = {"Ready"}}));
}

TEST(Summary, RefusesToSumUpNothing) {
  EXPECT_FALSE(summary(Conditions{}, "Ready", {}));
  EXPECT_FALSE(summary(Conditions{}, "Ready", {.types = {"A"}, .ignore_if_missing = {"A"}}));
}

TEST(Summary, RefusesAnOverrideOfSomethingThatIsNotThere) {
  EXPECT_FALSE(
      summary(Conditions{is("A", "True")}, "Ready", {.types = {"A", "B"}, .overrides = {is("B", "True")}}));
}

// ---- aggregate

struct Fleet {
  std::vector<Condition> conditions = {};
  std::vector<Contribution> parts = {};

  Fleet() { conditions.reserve(32); }
  Fleet(const Fleet&) = delete;  // parts point into conditions
  Fleet& operator=(const Fleet&) = delete;
  Fleet& machine(std::string_view name, std::string_view status, std::string_view message = {},
                 bool control_plane = false) {
    return object("Machine", name, status, message, control_plane);
  }
  Fleet& object(std::string_view kind, std::string_view name, std::string_view status,
                std::string_view message, bool control_plane = false) {
    conditions.push_back(is("Ready", status, message));
    conditions.back().last_transition_time = kNow;
    parts.push_back({kind, name, control_plane, &conditions.back()});
    return *this;
  }
  Fleet& silent(std::string_view name) {
    parts.push_back({.kind = "Machine", .name = name});
    return *this;
  }
  Condition ready() const {
    return aggregate(parts, {.source_type = "Ready", .target_type = "MachinesReady", .reasons = kReady});
  }
};

TEST(Aggregate, IsTrueWhenEveryObjectIs) {
  const auto result = Fleet().machine("a", "True").machine("b", "True").ready();

  EXPECT_EQ(result.type, "MachinesReady");
  EXPECT_EQ(result.status, "True");
  EXPECT_EQ(result.reason, "Ready");
  EXPECT_EQ(result.message, "");
}

TEST(Aggregate, GroupsEqualMessages) {
  const auto result = Fleet()
                          .machine("c", "False", "x")
                          .machine("a", "False", "x")
                          .machine("b", "True")
                          .machine("d", "False", "y")
                          .ready();

  EXPECT_EQ(result.status, "False");
  EXPECT_EQ(result.reason, "NotReady");
  EXPECT_EQ(result.message, "* Machines a, c: x\n* Machine d: y");
}

TEST(Aggregate, NamesThreeObjectsOfAGroupAtMost) {
  const auto result = Fleet()
                          .machine("e", "False", "x")
                          .machine("d", "False", "x")
                          .machine("c", "False", "x")
                          .machine("b", "False", "x")
                          .machine("a", "False", "x")
                          .ready();

  EXPECT_EQ(result.message, "* Machines a, b, c, ... (2 more): x");
}

TEST(Aggregate, ShowsThreeGroupsAndCountsTheRest) {
  const auto result = Fleet()
                          .machine("a", "False", "1")
                          .machine("b", "False", "2")
                          .machine("c", "False", "3")
                          .machine("d", "False", "4")
                          .machine("e", "Unknown", "5")
                          .machine("f", "Unknown", "6")
                          .ready();

  EXPECT_EQ(result.message,
            "* Machine a: 1\n* Machine b: 2\n* Machine c: 3\n"
            "And 1 Machine with other issues\nAnd 2 Machines with status unknown");
}

TEST(Aggregate, CountsAdditionalInfo) {
  const auto result = Fleet()
                          .machine("a", "True", "1")
                          .machine("b", "True", "2")
                          .machine("c", "True", "3")
                          .machine("d", "True", "4")
                          .machine("e", "True")
                          .ready();

  EXPECT_EQ(result.message,
            "* Machine a: 1\n* Machine b: 2\n* Machine c: 3\nAnd 1 Machine with additional info");
}

TEST(Aggregate, ShowsIssuesBeforeUnknownsAndLargerGroupsFirst) {
  const auto result = Fleet()
                          .machine("a", "Unknown", "lost")
                          .machine("b", "Unknown", "lost")
                          .machine("c", "False", "rare")
                          .machine("d", "False", "often")
                          .machine("e", "False", "often")
                          .ready();

  EXPECT_EQ(result.message, "* Machines d, e: often\n* Machine c: rare\n* Machines a, b: lost");
}

TEST(Aggregate, PutsControlPlaneMachinesFirst) {
  const auto result = Fleet()
                          .machine("a", "False", "often")
                          .machine("b", "False", "often")
                          .machine("z", "Unknown", "lost", true)
                          .machine("y", "Unknown", "lost")
                          .ready();

  EXPECT_EQ(result.message, "* Machines z, y: lost\n* Machines a, b: often");
}

TEST(Aggregate, KeepsAnEmptyMessageOfAnIssue) {
  EXPECT_EQ(Fleet().machine("a", "False").ready().message, "* Machine a: ");
}

TEST(Aggregate, CountsAnObjectWithoutTheConditionAsUnknown) {
  const auto result = Fleet().machine("a", "True").silent("b").ready();

  EXPECT_EQ(result.status, "Unknown");
  EXPECT_EQ(result.message, "* Machine b: Condition Ready not yet reported");
}

TEST(Aggregate, GoesThroughKindsByName) {
  const auto result = Fleet()
                          .object("MachineSet", "s", "False", "x")
                          .object("KubeadmControlPlane", "k", "False", "x")
                          .object("KubeadmControlPlane", "l", "False", "x")
                          .ready();

  EXPECT_EQ(result.message, "* KubeadmControlPlanes k, l: x\n* MachineSet s: x");
}

TEST(Aggregate, TurnsThePolarityAroundWhenAsked) {
  Fleet scaling;
  scaling.machine("a", "True", "Scaling up from 1 to 2 replicas").machine("b", "False");

  const auto result = aggregate(
      scaling.parts, {.source_type = "Ready",
                      .target_type = "ScalingUp",
                      .negative_source = true,
                      .negative_target = true,
                      .reasons = {reason::kScalingUp, reason::kScalingUpUnknown, reason::kNotScalingUp}});

  EXPECT_EQ(result.status, "True");
  EXPECT_EQ(result.reason, "ScalingUp");
  EXPECT_EQ(result.message, "* Machine a: Scaling up from 1 to 2 replicas");
}

TEST(Aggregate, NestsMessagesOfSeveralLines) {
  EXPECT_EQ(Fleet().machine("a", "False", "* A: x\n* B: y").ready().message,
            "* Machine a:\n  * A: x\n  * B: y");
}

}  // namespace
}  // namespace capstan::api::conditions
