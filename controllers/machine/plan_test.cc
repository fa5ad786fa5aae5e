#include <gmock/gmock.h>

#include "controllers/machine/observation_fixture.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

TEST(PlanOfAMachine, IsPrintedWithFromAndTo) {
  auto seen = seen_of(a_machine("m1").in_set("ms1"));
  infra_done(seen);
  seen.infra = changed(seen.infra, [](auto& object) { object.metadata.owner_references = {}; });
  on_node(seen, builders::a_node("n1"));

  EXPECT_THAT(describe(decide(seen)),
              ElementsAre("patch the Machine: metadata.finalizers: none -> [machine.cluster.x-k8s.io], "
                          "spec.providerID: none -> docker:////m1",
                          "claim the infrastructure object: ownerReferences: none -> [controller Machine m1]",
                          StartsWith("change Node n1: ")));
}

}  // namespace
}  // namespace capstan::controllers::machine
