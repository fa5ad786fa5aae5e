#include <gmock/gmock.h>

#include "controllers/machinedeployment/decide.h"
#include "test/builders/cluster.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::machinedeployment {
namespace {

using builders::a_machine_deployment;
using builders::a_machine_set;
using testing::ElementsAre;
using testing::StartsWith;

Observation seen_of(const api::MachineDeployment& deployment) {
  return {
      .now = builders::noon(),
      .stored = std::make_shared<const api::MachineDeployment>(deployment),
      .deployment = deployment,
      .cluster = builders::a_cluster().shared(),
      .infrastructure = {.state = TemplateSeen::State::Exists, .kind = "DockerMachineTemplate", .name = "t"},
      .bootstrap = {.state = TemplateSeen::State::Exists, .kind = "KubeadmConfig", .name = "b"},
      .suffix = "abcde"};
}

TEST(PlanOfADeployment, IsPrintedWithFromAndTo) {
  auto seen = seen_of(a_machine_deployment().replicas(3));
  const auto first = decide(seen);
  seen.orphans = {a_machine_set("stray").shared()};
  const auto adoption = decide(seen);

  EXPECT_THAT(describe(first),
              ElementsAre(StartsWith("write the metadata: "),
                          "own DockerMachineTemplate t: ownerReferences: none -> [Cluster c1]",
                          StartsWith("create MachineSet md1-abcde with ")));
  EXPECT_THAT(
      describe(adoption),
      ElementsAre(StartsWith("write the metadata: "),
                  "adopt MachineSet stray: ownerReferences: none -> [controller MachineDeployment md1]"));
}

TEST(PlanOfADeployment, IsThatOfAnotherOneWhereTheyDoTheSame) {
  auto seen = seen_of(a_machine_deployment().finalized_by(api::finalizer::kMachineDeployment).deleting());
  seen.sets = {a_machine_set("s").shared()};
  auto other = seen;
  other.sets = {a_machine_set("t").shared()};

  EXPECT_EQ(decide(seen), decide(seen));
  EXPECT_NE(decide(seen), decide(other));
}

}  // namespace
}  // namespace capstan::controllers::machinedeployment
