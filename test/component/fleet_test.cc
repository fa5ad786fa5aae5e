#include "test/component/fleet_story.h"

namespace capstan {
namespace {

TEST_F(FleetStory, AFleetComesUpGrowsRollsAndLeavesNothingBehind) {
  start(1, 2);
  wait_for("two workers", workers(2));

  change_deployment("demo-workers", {{"spec", {{"replicas", 4}}}});
  wait_for("four workers", workers(4));

  change_deployment("demo-workers", {{"spec", {{"template", {{"spec", {{"version", "v1.36.0"}}}}}}}});
  wait_for("four workers of the new version", workers(4, "v1.36.0"));
  EXPECT_EQ(stack_->cloud().vms().size(), 5U);

  remove<api::Cluster>("demo");
  wait_for("nothing left",
           [](const Fleet& fleet) { return fleet.clusters.empty() && fleet.machines.empty(); });
  EXPECT_THAT(stack_->cloud().vms(), testing::IsEmpty());
}

TEST_F(FleetStory, AClusterThatCantBeReachedDoesNotHoldUpAnother) {
  start(2, 1);
  wait_for("both clusters", workers(2));
  stack_->cloud().add_fault({.api = "demo-1"});

  change_deployment("demo-2-workers", {{"spec", {{"replicas", 3}}}});

  wait_for("three workers in the other cluster", [](const Fleet& fleet) {
    return std::ranges::any_of(fleet.groups, [](const auto& group) {
      return group.name == "default/demo-2-workers" && group.settled() && group.desired == 3;
    });
  });
  stack_->cloud().end_faults();
  change_deployment("demo-1-workers", {{"spec", {{"replicas", 2}}}});
  wait_for("the lost one again", workers(5));
}

// One fault for the VMs of all workers.
infrastructure::sim::Script refusing(infrastructure::DriverCode code, int times) {
  auto script = quick_cloud();
  script.faults.push_back({.verb = infrastructure::sim::SimVerb::Create,
                           .code = code,
                           .message = "no capacity in zone a",
                           .vms = "*workers*",
                           .times = times});
  return script;
}

TEST_F(FleetStory, ACloudThatIsBusyIsAskedAgain) {
  start(1, 2, refusing(infrastructure::DriverCode::Unavailable, 1));

  wait_for("two workers in spite of it", workers(2));

  EXPECT_EQ(stack_->cloud().hits().at(0), 2U);
}

TEST_F(FleetStory, AFullCloudIsToldOnTheMachine) {
  start(1, 2, refusing(infrastructure::DriverCode::ResourceExhausted, 100));

  wait_for("two Machines that say why", [this](const Fleet&) {
    const auto all =
        kube::list<api::Machine>(stack_->client(), kube::resource_of<api::Machine>(), {}, soon());
    return all && std::ranges::count_if(all->items, [](const api::Machine& machine) {
                    const auto ready = api::conditions::find(machine.status.conditions,
                                                             api::condition::kInfrastructureReady);
                    return ready != nullptr && ready->message.view().contains("no capacity in zone a");
                  }) == 2;
  });
}

}  // namespace
}  // namespace capstan
