#include "controllers/lifecycle/auto_preservation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/builders/machine.h"

namespace capstan::controllers::lifecycle {
namespace {

using builders::a_machine;
using builders::MachineBuilder;
using builders::noon;
using testing::ElementsAre;
using testing::IsEmpty;

MachineBuilder well(std::string_view name) { return a_machine(name).running(); }
MachineBuilder failed(std::string_view name, Seconds age = Seconds(60)) {
  return well(name).condition("capstan.dev/Lifecycle", "False", "Failed").aged(age);
}
MachineBuilder marked(std::string_view name, Seconds age = Seconds(60)) {
  return failed(name, age).annotated("capstan.dev/auto-preserved", "care");
}

PreservationMember member(std::string name, std::initializer_list<MachineBuilder> machines) {
  PreservationMember made{.name = std::move(name)};
  for (const auto& machine : machines) made.machines.push_back(machine.shared());
  return made;
}

std::vector<std::string> names(const std::vector<MachineSnapshot>& machines) {
  std::vector<std::string> found;
  for (const auto& machine : machines) found.push_back(machine->metadata.name.str());
  return found;
}

TEST(AutoPreservation, MarksTheNewestOfThoseThatFailed) {
  const auto found = auto_preservation(
      2, {member("web",
                 {failed("old", Seconds(300)), failed("new", Seconds(10)), failed("middle"), well("w")})});

  EXPECT_THAT(names(found.mark), ElementsAre("new", "middle"));
  EXPECT_THAT(found.release, IsEmpty());
}

TEST(AutoPreservation, CountsThoseThatAreMarkedAlready) {
  EXPECT_THAT(names(auto_preservation(2, {member("web", {marked("a"), failed("b"), failed("c")})}).mark),
              ElementsAre("c"));
  EXPECT_THAT(auto_preservation(1, {member("web", {marked("a"), failed("b")})}).mark, IsEmpty());
  EXPECT_THAT(names(auto_preservation(1, {member("web", {marked("a").deleting(), failed("b")})}).mark),
              ElementsAre("b"));
}

TEST(AutoPreservation, IsSharedOutByNameAndTheFirstGetOneMore) {
  const auto found = auto_preservation(3, {member("b", {failed("b1"), failed("b2")}),
                                           member("a", {failed("a1"), failed("a2"), failed("a3")})});

  EXPECT_THAT(names(found.mark), ElementsAre("a3", "a2", "b2"));
}

TEST(AutoPreservation, AShareThatBecameSmallerTakesNoneAway) {
  const auto found =
      auto_preservation(2, {member("a", {marked("a1"), marked("a2")}), member("b", {failed("b1")})});

  EXPECT_THAT(found.release, IsEmpty());
  EXPECT_THAT(found.mark, IsEmpty()) << "all there may be are there";
}

TEST(AutoPreservation, OfTooManyTheOldestAreReleased) {
  const auto found = auto_preservation(
      1, {member("a", {marked("a1", Seconds(10)), marked("a2", Seconds(300))}), member("b", {marked("b1")})});

  EXPECT_THAT(names(found.release), ElementsAre("a2", "b1"));
}

TEST(AutoPreservation, LeavesThoseAloneOfWhichAUserHasSpoken) {
  EXPECT_THAT(
      auto_preservation(
          5, {member("web", {failed("a").annotated("capstan.dev/preserve", "false"),
                             failed("b").annotated("capstan.dev/preserve", "when-failed"),
                             failed("c").annotated("capstan.dev/preserve-from-node", "false"),
                             failed("d").annotated("cluster.x-k8s.io/paused"), failed("e").deleting()})})
          .mark,
      IsEmpty());
}

TEST(AutoPreservation, GivesNoSecondTime) {
  EXPECT_THAT(
      auto_preservation(
          1, {member("web", {failed("a").annotated("capstan.dev/preserve-until", "2020-01-01T00:00:00Z")})})
          .mark,
      IsEmpty());
}

TEST(AutoPreservation, MachinesThatAreRolledAwayCountAndGetNoMark) {
  PreservationMember rolling = member("web", {failed("new")});
  rolling.rolled_away = {marked("old").shared(), failed("older").shared()};

  EXPECT_THAT(auto_preservation(1, {rolling}).mark, IsEmpty());
  EXPECT_THAT(names(auto_preservation(2, {rolling}).mark), ElementsAre("new"));
}

TEST(AutoPreservation, WithoutMembersThereIsNothingToShareOut) {
  EXPECT_THAT(auto_preservation(3, {}).mark, IsEmpty());
}

}  // namespace
}  // namespace capstan::controllers::lifecycle
