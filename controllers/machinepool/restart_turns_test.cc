// The manager ends in the middle of a pool's deletion, and the next one knows only what stands on objects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/machinepool/turn_fixture.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machinepool {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using namespace std::chrono_literals;

// A manager that finds both Nodes as they are on their server.
std::unique_ptr<ControllerRun<Reconciler>> a_run(MachinePoolFixture& stage) {
  auto run = std::make_unique<ControllerRun<Reconciler>>(
      stage, ControllerRunOptions{.name = "machinepool", .kind = "MachinePool"});
  for (const auto* name : {"n1", "n2"}) {
    if (!stage.node_exists(name)) continue;
    auto node = stage.node(name);
    node.status = builders::a_node(name).build().status;
    run->workload_clusters.put_node(kTheCluster, node);
  }
  run->workload_clusters.connect(kTheCluster, &stage.workload);
  run->start();
  return run;
}

// A pool whose policy asks for a drain of at most two minutes runs on two Nodes; Pod web may not be taken off
// n1. Its provider takes a while to let go.
std::unique_ptr<ControllerRun<Reconciler>> a_run_with_a_pool(MachinePoolFixture& stage) {
  stage.make(kube::resource_of<api::MachineLifecyclePolicy>(),
             api::to_json(builders::a_policy().selecting_everything().drains_machine_pools().build()));
  auto pool = a_pool(2);
  pool.spec.machine_template.spec.deletion.node_drain_timeout_seconds = 120;
  stage.make_pool(pool);
  stage.make_node(builders::a_node("n1"));
  stage.make_node(builders::a_node("n2"));
  auto run = a_run(stage);
  stage.bootstrap_is_done();
  stage.infrastructure_has({"n1", "n2"});
  stage.settle();
  EXPECT_EQ(stage.pool().status.phase, "Running");
  stage.patch(kBoxPools, kPool, {{"metadata", {{"finalizers", json::array{"box.example.com/vms"}}}}});
  stage.make_pod("web", "n1");
  stage.make_budget("web", 0);
  return run;
}

std::string told_of_deletion(MachinePoolFixture& stage) {
  const auto status = stage.pool().status;
  const auto told = api::conditions::find(status.conditions, "Deleting");
  return told == nullptr ? "" : told->reason.str() + ": " + told->message.str();
}

TEST(Restart, WhileAPoolDrainsLosesNeitherWhatHoldsItUpNorTheTimeItHasTaken) {
  in_simulation([](MachinePoolFixture& stage) {
    auto first = a_run_with_a_pool(stage);
    stage.remove(kPools, kPool);
    stage.settle(80s);
    const auto before = told_of_deletion(stage);
    first.reset();

    stage.workload.forget();
    const auto second = a_run(stage);
    const auto after = told_of_deletion(stage);
    const auto written = second->requests();
    stage.settle(12s);  // 100 s
    const bool kept = stage.node_exists("n1") && stage.has_pod("web") &&
                      !stage.read(kBoxPools, kPool).at("metadata").as_object().contains("deletionTimestamp");
    stage.settle(40s);  // 140 s
    const bool given_up =
        !stage.exists(kBoxPools, kPool) ||
        stage.read(kBoxPools, kPool).at("metadata").as_object().contains("deletionTimestamp");

    EXPECT_THAT(before, AllOf(StartsWith("DrainingNode: "),
                              HasSubstr("1 of 2 Nodes are drained\n* Node n1: "), HasSubstr("budget")));
    EXPECT_EQ(after, before);
    EXPECT_THAT(written, Not(Contains(HasSubstr("delete"))));
    EXPECT_THAT(stage.workload.described(), Not(Contains("delete nodes n2")))
        << "its instance is still there";
    EXPECT_TRUE(kept);
    EXPECT_TRUE(given_up) << "it counts from the pool's deletion, not from its own start";
    EXPECT_TRUE(stage.has_pod("web"));
  });
}

// Cluster API's manager does not watch the provider's object again before its pool is well: it would hear of
// the end only when everything is looked at again.
TEST(Restart, WhileAPoolWaitsForItsProviderHearsThatItHasLetGo) {
  in_simulation([](MachinePoolFixture& stage) {
    auto first = a_run_with_a_pool(stage);
    stage.relax_budget("web", 1);
    stage.remove(kPools, kPool);
    stage.settle(30s);
    const bool asked = stage.read(kBoxPools, kPool).at("metadata").as_object().contains("deletionTimestamp");
    first.reset();

    const auto second = a_run(stage);
    const bool kept = stage.exists(kPools, kPool) && stage.node_exists("n2");
    stage.patch(kBoxPools, kPool, {{"metadata", {{"finalizers", nullptr}}}});
    stage.settle(4s);

    EXPECT_TRUE(asked);
    EXPECT_TRUE(kept) << "its instances may be there";
    EXPECT_FALSE(stage.exists(kPools, kPool));
    EXPECT_FALSE(stage.node_exists("n1") || stage.node_exists("n2"));
  });
}

}  // namespace
}  // namespace capstan::controllers::machinepool
