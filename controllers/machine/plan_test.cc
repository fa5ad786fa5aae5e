#include <gmock/gmock.h>

#include "controllers/machine/observation_fixture.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(PlanOfAMachine, IsPrintedWithFromAndTo) {
  auto seen = seen_of(a_machine("m1").in_set("ms1"));
  bootstrap_done(seen);
  infra_done(seen);
  on_node(seen, builders::a_node("n1"));

  EXPECT_THAT(describe(decide(seen)),
              ElementsAre(AllOf(StartsWith("patch the Machine: "),
                                HasSubstr("metadata.finalizers: none -> [machine.cluster.x-k8s.io]"),
                                HasSubstr("spec.providerID: none -> docker:////m1")),
                          StartsWith("change Node n1: ")));
}

}  // namespace
}  // namespace capstan::controllers::machine
