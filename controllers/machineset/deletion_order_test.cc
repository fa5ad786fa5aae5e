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

std::vector<std::string> ordered(std::initializer_list<MachineBuilder> builders,
                                 DeletionOrder order = DeletionOrder::Random) {
  Machines machines;
  for (const auto& builder : builders) machines.push_back(builder.shared());
  std::vector<std::string> names;
  for (const auto& machine : in_deletion_order(std::move(machines), order, noon())) {
    names.push_back(machine->metadata.name.str());
  }
  return names;
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

}  // namespace
}  // namespace capstan::controllers::machineset
