#include "controllers/machineset/deletion_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/builders/machine.h"

namespace capstan::controllers::machineset {
namespace {

using builders::a_machine;
using builders::MachineBuilder;
using builders::noon;
using testing::ElementsAre;

constexpr Seconds kDay{86'400};

std::vector<std::string> ordered_by(const DeletionRules& rules,
                                    std::initializer_list<MachineBuilder> builders) {
  Machines machines;
  for (const auto& builder : builders) machines.push_back(builder.shared());
  std::vector<std::string> names;
  for (const auto& machine : in_deletion_order(std::move(machines), rules)) {
    names.push_back(machine->metadata.name.str());
  }
  return names;
}

std::vector<std::string> ordered(std::initializer_list<MachineBuilder> builders,
                                 DeletionOrder order = DeletionOrder::Random) {
  return ordered_by({.order = order, .now = noon()}, builders);
}

MachineBuilder well(std::string_view name, Seconds age = Seconds(60)) {
  return a_machine(name).running().aged(age);
}

TEST(DeletionOrder, GoesByClassThenByName) {
  EXPECT_THAT(
      ordered({well("f"), well("e"), a_machine("d").running().unhealthy(), well("c").updating_in_place(),
               well("b").annotated("cluster.x-k8s.io/delete-machine"), well("a").deleting()}),
      ElementsAre("a", "b", "c", "d", "e", "f"));
}

TEST(DeletionOrder, WhoGoesAlreadyComesBeforeWhoIsMarked) {
  EXPECT_THAT(ordered({well("a").annotated("cluster.x-k8s.io/delete-machine"), well("b").deleting()}),
              ElementsAre("b", "a"));
}

TEST(DeletionOrder, TheMarkCountsWhateverItsValue) {
  EXPECT_THAT(ordered({well("a"), well("b").annotated("cluster.x-k8s.io/delete-machine", "false")}),
              ElementsAre("b", "a"));
}

TEST(DeletionOrder, RandomIsTheOrderOfNames) {
  EXPECT_THAT(ordered({well("c"), well("a", kDay), well("b", 9 * kDay)}), ElementsAre("a", "b", "c"));
}

TEST(DeletionOrder, RandomSparesWhoIsAvailable) {
  const auto not_yet = a_machine("b").provisioned().on_node("b").ready().aged(kDay);

  EXPECT_THAT(ordered({well("a"), not_yet, well("c")}), ElementsAre("b", "a", "c"));
  EXPECT_THAT(ordered({well("a"), not_yet, a_machine("c").running().unhealthy()}),
              ElementsAre("c", "b", "a"));
}

TEST(DeletionOrder, NewestTakesTheYoungestFirst) {
  EXPECT_THAT(ordered({well("a", 9 * kDay), well("b", kDay), well("c", 2 * kDay)}, DeletionOrder::Newest),
              ElementsAre("b", "c", "a"));
}

TEST(DeletionOrder, OldestTakesTheOldestFirst) {
  EXPECT_THAT(ordered({well("a", kDay), well("b", 9 * kDay), well("c", 2 * kDay)}, DeletionOrder::Oldest),
              ElementsAre("b", "c", "a"));
}

TEST(DeletionOrder, UnhealthyGoesBeforeTheOldest) {
  EXPECT_THAT(ordered({well("a", 90 * kDay), a_machine("b").running().unhealthy()}, DeletionOrder::Oldest),
              ElementsAre("b", "a"));
}

TEST(DeletionOrder, ACreationInTheFutureCountsAsNew) {
  EXPECT_THAT(ordered({well("a", -kDay), well("b", kDay)}, DeletionOrder::Oldest), ElementsAre("b", "a"));
}

MachineBuilder with_priority(MachineBuilder machine, std::string_view priority) {
  return machine.annotated("capstan.dev/deletion-priority", priority);
}

TEST(DeletionOrder, ALowerPriorityGoesBeforeTheUnhealthy) {
  EXPECT_THAT(ordered({a_machine("a").running().unhealthy(), well("b"), with_priority(well("c"), "1"),
                       with_priority(a_machine("d").running().unhealthy(), "4")}),
              ElementsAre("c", "a", "b", "d"));
}

TEST(DeletionOrder, AMarkGoesBeforeTheLowestPriority) {
  EXPECT_THAT(
      ordered({with_priority(well("a"), "-5"), well("b").annotated("cluster.x-k8s.io/delete-machine")}),
      ElementsAre("b", "a"));
}

TEST(DeletionOrder, APriorityThatIsNoNumberCountsAsThree) {
  EXPECT_THAT(ordered({with_priority(well("a"), "low"), with_priority(well("b"), "2"), well("c"),
                       with_priority(well("d"), "3.5")}),
              ElementsAre("b", "a", "c", "d"));
}

TEST(DeletionOrder, ANamedMachineGoesAsAMarkedOne) {
  const DeletionRules rules{
      .now = noon(), .named = [](const api::Machine& machine) { return machine.metadata.name == "c"; }};

  EXPECT_THAT(ordered_by(rules, {with_priority(well("a"), "1"), well("b"), well("c")}),
              ElementsAre("c", "a", "b"));
}

MachineBuilder in_phase(std::string_view name, std::string_view phase, Seconds age = Seconds(60)) {
  return well(name, age).condition("capstan.dev/Lifecycle", phase == "Running" ? "True" : "False", phase);
}

TEST(DeletionOrder, ByLifecycleTheWorstGoesFirst) {
  const DeletionRules rules{.now = noon(), .by_lifecycle = true};

  EXPECT_THAT(
      ordered_by(rules, {in_phase("h", "Running"), in_phase("g", "InPlaceUpdating"), in_phase("f", "Joining"),
                         in_phase("e", "Creating"), in_phase("d", "InPlaceUpdateFailed"),
                         in_phase("c", "Unhealthy"), in_phase("b", "CreateRetrying"), in_phase("a", "Failed"),
                         in_phase("z", "Terminating").deleting()}),
      ElementsAre("z", "a", "b", "c", "d", "e", "f", "g", "h"));
}

TEST(DeletionOrder, ByLifecycleTheOldestGoesFirstUnlessNewestIsAskedFor) {
  const auto machines = {in_phase("a", "Running", kDay), in_phase("b", "Running", 9 * kDay),
                         in_phase("c", "Running", 2 * kDay)};

  EXPECT_THAT(ordered_by({.now = noon(), .by_lifecycle = true}, machines), ElementsAre("b", "c", "a"));
  EXPECT_THAT(ordered_by({.order = DeletionOrder::Newest, .now = noon(), .by_lifecycle = true}, machines),
              ElementsAre("a", "c", "b"));
}

TEST(IsUnhealthy, NeedsEvidence) {
  EXPECT_TRUE(is_unhealthy(a_machine().build()));  // no Node yet
  EXPECT_TRUE(is_unhealthy(a_machine().running().condition("NodeHealthy", "False").build()));
  EXPECT_TRUE(is_unhealthy(a_machine().running().condition("HealthCheckSucceeded", "False").build()));
  EXPECT_FALSE(is_unhealthy(a_machine().running().condition("NodeHealthy", "Unknown").build()));
  EXPECT_FALSE(is_unhealthy(a_machine().running().condition("HealthCheckSucceeded", "Unknown").build()));
  EXPECT_FALSE(is_unhealthy(a_machine().running().build()));
}

TEST(ParseDeletionOrder, KnowsThreeWordsAndNoOther) {
  EXPECT_EQ(parse_deletion_order(""), DeletionOrder::Random);
  EXPECT_EQ(parse_deletion_order("Random"), DeletionOrder::Random);
  EXPECT_EQ(parse_deletion_order("Newest"), DeletionOrder::Newest);
  EXPECT_EQ(parse_deletion_order("Oldest"), DeletionOrder::Oldest);
  EXPECT_EQ(parse_deletion_order("oldest").error().message,
            "spec.deletion.order: \"oldest\" is none of Random, Newest, Oldest");
}

MachineBuilder preserved(std::string_view name, Seconds left) {
  return well(name).annotated("capstan.dev/preserve-until", (noon() + left).to_string());
}

TEST(DeletionOrder, PreservedMachinesGoLastWhateverTheirPriority) {
  EXPECT_THAT(ordered({preserved("a", kDay).annotated("capstan.dev/deletion-priority", "1").unhealthy(),
                       well("b"), well("c").annotated("capstan.dev/deletion-priority", "9")}),
              ElementsAre("b", "c", "a"));
}

TEST(DeletionOrder, OfPreservedMachinesThoseOfThePolicyGoFirstThenTheSoonestToEnd) {
  EXPECT_THAT(ordered({preserved("a", kDay * 2), preserved("b", kDay),
                       preserved("c", kDay * 3).annotated("capstan.dev/auto-preserved", "care")}),
              ElementsAre("c", "b", "a"));
}

TEST(DeletionOrder, APreservedMachineThatIsMarkedGoesAsAnyOther) {
  EXPECT_THAT(ordered({well("a"), preserved("b", kDay).annotated("cluster.x-k8s.io/delete-machine")}),
              ElementsAre("b", "a"));
}

TEST(DeletionOrder, APreservationThatIsOverOrOfARolloutIsNone) {
  const auto sick = preserved("b", kDay).unhealthy();

  EXPECT_THAT(ordered({well("a"), preserved("b", Seconds(0)).unhealthy()}), ElementsAre("b", "a"));
  EXPECT_THAT(ordered_by({.now = noon(), .preserved_last = false}, {well("a"), sick}), ElementsAre("b", "a"));
}

}  // namespace
}  // namespace capstan::controllers::machineset
