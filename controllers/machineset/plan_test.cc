#include <gmock/gmock.h>

#include "controllers/machineset/seen_fixture.h"

namespace capstan::controllers::machineset {
namespace {

using builders::a_machine;
using builders::a_machine_set;
using testing::Contains;
using testing::ElementsAre;

TEST(PlanOfASet, IsPrintedWithFromAndTo) {
  const auto well = a_machine("a").in_set("ms1").running();
  auto adopting = a_world(a_machine_set());
  adopting.where([](Observation& seen) { seen.orphans = {a_machine("stray").shared()}; });

  EXPECT_THAT(describe(a_world(a_machine_set().replicas(3)).with(well).plan()),
              ElementsAre("create 2 Machines"));
  EXPECT_THAT(describe(adopting.plan()),
              Contains("adopt Machine stray: ownerReferences: none -> [controller MachineSet ms1]"));
  EXPECT_THAT(describe(a_world(a_machine_set().deleting()).with(well).plan()),
              ElementsAre("delete Machine a (the set goes)"));
}

TEST(PlanOfASet, IsThatOfAnotherOneWhereTheyDoTheSame) {
  auto world = a_world(a_machine_set().replicas(2));
  const auto before = world.plan();

  EXPECT_EQ(before, world.plan());
  world.with(a_machine("a").in_set("ms1").running());
  EXPECT_NE(before, world.plan());
}

}  // namespace
}  // namespace capstan::controllers::machineset
