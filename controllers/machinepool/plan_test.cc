#include <gmock/gmock.h>

#include "controllers/machinepool/seen_fixture.h"

namespace capstan::controllers::machinepool {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(PlanOfAPool, IsPrintedWithFromAndTo) {
  auto world = a_pool_world();
  world.knows({"n1", "b1"}).referred({"n1"}).instances({"b1", "b2"}).with(builders::a_node("b1"));

  EXPECT_THAT(describe(world.plan()),
              ElementsAre(AllOf(StartsWith("write the pool: "),
                                HasSubstr("spec.providerIDList: [docker:////n1, docker:////b1] -> [")),
                          StartsWith("claim the bootstrap object: ownerReferences: none -> [controller "
                                     "MachinePool mp1]"),
                          StartsWith("claim the infrastructure object: ownerReferences: none -> [controller "
                                     "MachinePool mp1]"),
                          StartsWith("change Node b1: "), "delete Nodes n1"));
}

TEST(PlanOfAPool, IsThatOfAnotherOneWhereTheyDoTheSame) {
  auto world = a_pool_world();
  const auto seen = world.seen();
  const auto more = world.instances({"n1"}).seen();

  EXPECT_EQ(decide(seen), decide(seen));
  EXPECT_NE(decide(seen), decide(more));
}

}  // namespace
}  // namespace capstan::controllers::machinepool
