#include <gmock/gmock.h>

#include "controllers/controllers.h"
#include "test/fakes/baton.h"
#include "test/fakes/fake_workload_clusters.h"
#include "test/fakes/scripted_client.h"

namespace capstan::manager {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::vector<std::string> made_with(std::set<std::string, std::less<>> left_out) {
  fakes::Baton baton({.seed = 1});
  SeededRandomness randomness(1);
  fakes::ScriptedClient client;
  std::vector<std::string> names;
  const auto report = baton.run([&] {
    kube::WatchLoop loop(baton, baton);
    fakes::FakeWorkloadClusters workload_clusters;
    runtime::OpenBrake brake;
    const controllers::Controllers core(
        {.clock = baton,
         .threads = baton,
         .client = client,
         .randomness = randomness,
         .loop = loop,
         .workload_clusters = workload_clusters,
         .brake = brake},
        {.left_out = std::move(left_out), .crd_migration = controllers::crdmigration::Settings{}});
    for (const auto* controller : core.controllers()) names.push_back(controller->name());
  });
  EXPECT_TRUE(report.finished()) << report.why;
  return names;
}

TEST(ControllerNames, AreThoseOfTheControllersThatAreMade) {
  EXPECT_THAT(made_with({}), ElementsAreArray(controllers::controller_names()));
}

TEST(ControllerNames, OfControllersThatAreLeftOutAreNotMade) {
  EXPECT_THAT(made_with({"cluster", "machinedeployment", "machineset", "machinepool", "machinehealthcheck",
                         "topology/machinedeployment", "topology/machineset", "topology/cluster",
                         "machinelifecyclepolicy", "fleetpolicy", "unclaimednode", "crdmigrator"}),
              ElementsAre("machine"));
}

}  // namespace
}  // namespace capstan::manager
