#include "controllers/machineset/exhaustion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/machineset/seen_fixture.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machineset {
namespace {

using builders::a_machine;
using builders::a_machine_set;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kUntil = "capstan.dev/resource-exhausted-until";

Seen under_a_policy(const builders::MachineSetBuilder& set) {
  return a_world(set).where(
      [](Observation& seen) { seen.policy = builders::a_policy("care").creation_timeout(300).shared(); });
}
std::string in(Seconds span, const Observation& seen) { return (seen.now + span).to_string(); }
std::vector<std::string> words(Seen& world) { return describe(world.plan()); }

TEST(Exhaustion, KeepsAMachineSetFromMakingAnotherMachineAndSaysUntilWhen) {
  Seen world = under_a_policy(a_machine_set().replicas(2));
  const std::string until = in(Seconds(60), world.seen());
  world.with(a_machine("a").annotated(kUntil, until));

  const Plan plan = world.plan();

  EXPECT_THAT(plan.notes_about(api::NoteCode::CreateHeldUp),
              Contains(HasSubstr("no Machine is made until " + until)));
  EXPECT_THAT(describe(plan), Contains("note that there is no room until " + until));
  EXPECT_THAT(describe(plan), Not(Contains(HasSubstr("create"))));
}

TEST(Exhaustion, IsNotedOnceAndOutlivesTheMachineThatMetIt) {
  Seen world = under_a_policy(a_machine_set().replicas(1).annotated(kUntil, "2126-01-01T12:00:00Z"));

  EXPECT_TRUE(exhausted_until(world.seen()));
  EXPECT_THAT(words(world), Not(Contains(HasSubstr("room"))));
  EXPECT_THAT(words(world), Not(Contains(HasSubstr("create"))));
}

TEST(Exhaustion, EndsWithItsTime) {
  Seen world = under_a_policy(a_machine_set().replicas(2));
  world.where([&](Observation& seen) {
    auto set = *seen.stored;
    set.metadata.annotations.set(kUntil, in(Seconds(0), seen));
    seen.stored = std::make_shared<const api::MachineSet>(std::move(set));
  });
  world.with(a_machine("a").annotated(kUntil, in(Seconds(0), world.seen())));

  EXPECT_THAT(words(world), Contains("note that there is room again"));
  EXPECT_THAT(words(world), Contains(HasSubstr("create")));
}

TEST(Exhaustion, IsNothingWithoutAPolicyThatAsksForIt) {
  Seen world = a_world(a_machine_set().replicas(2));
  world.with(a_machine("a").annotated(kUntil, in(Seconds(60), world.seen())));

  EXPECT_FALSE(exhausted_until(world.seen()));
  EXPECT_THAT(words(world), Contains(HasSubstr("create")));
}

}  // namespace
}  // namespace capstan::controllers::machineset
