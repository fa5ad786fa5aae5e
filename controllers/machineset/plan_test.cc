#include <gmock/gmock.h>

#include "controllers/machineset/seen_fixture.h"

namespace capstan::controllers::machineset {
namespace {

using builders::a_machine;
using builders::a_machine_set;
using testing::ElementsAre;

TEST(PlanOfASet, IsPrintedWithFromAndTo) {
  auto stray = a_machine("stray").labelled("tier", "x");
  auto growing = a_world(a_machine_set().replicas(3)).with(a_machine("a").in_set("ms1").running());
  growing.where([&](Observation& seen) { seen.orphans = {stray.shared()}; });
  auto going = a_world(a_machine_set().deleting()).with(a_machine("a").in_set("ms1").running());

  EXPECT_THAT(describe(growing.plan()), ElementsAre("?"));
  EXPECT_THAT(describe(going.plan()), ElementsAre("delete Machine a (the set goes)"));
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
