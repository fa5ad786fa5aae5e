#include "controllers/lifecyclepolicy/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/builders/machine.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::lifecyclepolicy {
namespace {

using builders::a_machine;
using builders::a_policy;
using builders::MachineBuilder;
using testing::ElementsAre;
using testing::IsEmpty;

MachineBuilder failed(std::string_view name) {
  return a_machine(name).running().condition("capstan.dev/Lifecycle", "False", "Failed");
}
MachineBuilder marked(std::string_view name) {
  return failed(name).annotated("capstan.dev/auto-preserved", "care");
}

Observation seen_with(std::int32_t most, std::initializer_list<MachineBuilder> machines) {
  Observation seen{.policy = a_policy("care").shared(), .most_preserved = most};
  auto& member = seen.members.emplace_back(lifecycle::PreservationMember{.name = "web"});
  for (const auto& machine : machines) member.machines.push_back(machine.shared());
  return seen;
}

TEST(Decide, PreservesAFailedMachineInTheNameOfThePolicy) {
  const auto plan = decide(seen_with(1, {failed("m1"), a_machine("m2").running()}));

  EXPECT_THAT(describe(plan), ElementsAre("preserve Machine m1: the mark \"\" becomes \"care\""));
}

TEST(Decide, PreservesNoneBeyondTheLimit) {
  EXPECT_THAT(describe(decide(seen_with(1, {marked("m1"), failed("m2")}))), IsEmpty());
}

TEST(Decide, ReleasesWhatIsTooManyOnceTheLimitIsLowered) {
  const auto plan = decide(seen_with(0, {marked("m1")}));

  EXPECT_THAT(describe(plan), ElementsAre("release Machine m1, which care preserves unasked"));
}

TEST(Decide, LeavesEachMarkWhileCachesLagBehind) {
  auto seen = seen_with(0, {marked("m1")});
  seen.members.clear();

  EXPECT_THAT(describe(decide(seen)), IsEmpty());
}

}  // namespace
}  // namespace capstan::controllers::lifecyclepolicy
