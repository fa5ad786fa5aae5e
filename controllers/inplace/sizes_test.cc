#include "controllers/inplace/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/inplace/world_fixture.h"

namespace capstan::controllers::inplace {
namespace {

using rollout::Fleet;
using rollout::Intent;
using rollout::SetCounts;
using testing::ElementsAre;
using testing::IsEmpty;

SetCounts set_of(std::string name, rollout::Count spec, rollout::Count status) {
  return {.name = std::move(name), .spec = spec, .status = status};
}

Fleet fleet_of(rollout::Limits limits, SetCounts newest, SetCounts old) {
  return {.limits = limits, .newest = std::move(newest), .old = {std::move(old)}};
}

TEST(Sizes, OldMachinesAreLeftAlone) {
  const auto fleet = fleet_of({.desired = 3, .unavailable = 1}, set_of("new", 0, 0), set_of("old", 3, 3));

  EXPECT_THAT(plan_sizes(fleet).intents, IsEmpty());
}

TEST(Sizes, TheNewSetMakesWhatTheSurgeAllows) {
  const auto fleet = fleet_of({.desired = 3, .surge = 1}, set_of("new", 0, 0), set_of("old", 3, 3));

  EXPECT_THAT(plan_sizes(fleet).intents, ElementsAre(Intent{.set = "new", .replicas = 1}));
}

// Made anew it would be old.
TEST(Sizes, AMachineThatIsGoneIsReplacedByTheNewSet) {
  const auto lacks_one = fleet_of({.desired = 3, .unavailable = 1}, set_of("new", 0, 0), set_of("old", 3, 2));
  EXPECT_THAT(plan_sizes(lacks_one).intents, ElementsAre(Intent{.set = "old", .replicas = 2}));

  const auto seen = fleet_of({.desired = 3, .unavailable = 1}, set_of("new", 0, 0), set_of("old", 2, 2));
  EXPECT_THAT(plan_sizes(seen).intents, ElementsAre(Intent{.set = "new", .replicas = 1}));
}

// Scaled down and up again while a guard, a window or a freeze held the deletions.
TEST(Sizes, TheNewSetKeepsItsMachinesThatWereToGoAndAreWantedAgain) {
  const auto fleet = fleet_of({.desired = 3, .unavailable = 1}, set_of("new", 0, 3), set_of("old", 0, 0));
  EXPECT_THAT(plan_sizes(fleet).intents, ElementsAre(Intent{.set = "new", .replicas = 3}));

  const auto one_is_old =
      fleet_of({.desired = 3, .unavailable = 1}, set_of("new", 0, 2), set_of("old", 1, 1));
  EXPECT_THAT(plan_sizes(one_is_old).intents, ElementsAre(Intent{.set = "new", .replicas = 2}));
}

TEST(Sizes, FewerReplicasTakeOldMachinesAway) {
  const auto fleet = fleet_of({.desired = 2, .unavailable = 1}, set_of("new", 1, 1), set_of("old", 2, 2));

  EXPECT_THAT(plan_sizes(fleet).intents, ElementsAre(Intent{.set = "old", .replicas = 1}));
}

TEST(Sizes, TheNewSetGrowsNotBeforeOldOnesHaveSeenTheirSize) {
  auto old = set_of("old", 2, 2);
  old.settled = false;
  const auto fleet = fleet_of({.desired = 3, .unavailable = 1}, set_of("new", 0, 0), old);

  EXPECT_THAT(plan_sizes(fleet).intents, IsEmpty());
}

// A Machine that has changed its set: the status of neither knows of that yet.
TEST(Sizes, AreCountedByTheMachinesThereAre) {
  InPlaceWorld world;
  world.newest.spec.replicas = 1;
  world.old.spec.replicas = 2;
  world.note(world.old, api::annotation::kDisableMachineCreate, "true");
  world.add("m1", "new");
  world.add("m2", "old");
  world.add("m3", "old");
  auto newest = set_of("new", 1, 0);
  auto old = set_of("old", 2, 2);
  newest.available = 0;
  old.available = 3;

  const auto fleet = by_machines(fleet_of(world.limits, newest, old), world.question(), true);

  EXPECT_EQ(fleet.newest->status, 1);
  EXPECT_EQ(fleet.old.front().status, 2);
  EXPECT_EQ(fleet.old.front().available, 2);
}

// It may be making one at the moment.
TEST(Sizes, WhatAnOldSetLacksCountsAsLongAsItMakesMachines) {
  InPlaceWorld world;
  world.add("m1", "old");
  const auto counts = [&] {
    return by_machines(fleet_of(world.limits, set_of("new", 0, 0), set_of("old", 3, 1)), world.question(),
                       true)
        .old.front()
        .status;
  };
  EXPECT_EQ(counts(), 3);

  world.note(world.old, api::annotation::kDisableMachineCreate, "true");

  EXPECT_EQ(counts(), 1);
}

TEST(Sizes, AMachineThatIsOnItsWayIsThere) {
  InPlaceWorld world;
  world.newest.spec.replicas = 1;
  world.note(world.newest, api::policy::annotation::kTakesOver, "m1");
  world.add("m1", "old", "new Updating 2026-01-01T12:00:00Z");

  const auto fleet =
      by_machines(fleet_of(world.limits, set_of("new", 1, 0), set_of("old", 2, 1)), world.question(), true);

  EXPECT_EQ(fleet.newest->status, 1);
}

// The process died between the writes to the two sets: the new one counts m1 already, the old one still does.
TEST(Sizes, AMachineThatOnlyOneSetHasNotedIsNotOneTooMany) {
  InPlaceWorld world;
  world.newest.spec.replicas = 1;
  world.note(world.newest, api::policy::annotation::kTakesOver, "m1");
  world.add("m1", "old", "new Updating 2026-01-01T12:00:00Z");
  world.add("m2", "old");
  world.add("m3", "old");
  auto fleet =
      by_machines(fleet_of(world.limits, set_of("new", 1, 0), set_of("old", 3, 3)), world.question(), true);

  count_hand_overs(world.plan().hand_overs, fleet);

  EXPECT_EQ(fleet.newest->spec, 1);
  EXPECT_EQ(fleet.old.front().spec, 2);
  EXPECT_THAT(plan_sizes(fleet).intents, IsEmpty());
}

// The template of before has come back meanwhile: m1 goes from what is the newest set by now to an old one.
TEST(Sizes, AnOldSetLacksNoMachineThatIsAboutToCome) {
  auto fleet = fleet_of({.desired = 3, .unavailable = 1}, set_of("new", 2, 2), set_of("old", 1, 1));

  count_hand_overs({{"new", {.leaving = {"m1"}, .growth = -1}}, {"old", {.coming = {"m1"}, .growth = 1}}},
                   fleet);

  EXPECT_THAT(plan_sizes(fleet).intents, IsEmpty());
}

}  // namespace
}  // namespace capstan::controllers::inplace
