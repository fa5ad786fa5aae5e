// Whole turns while another writer sets a label of ours to something else, second after second.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/machine/turn_fixture.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using testing::Contains;
using testing::HasSubstr;
using namespace std::chrono_literals;

const kube::ObjectKey kCluster{.namespace_ = "default", .name = "c1"};

std::string contested(const MachineFixture& world) {
  const auto machine = world.machine();
  const auto found = api::conditions::find(machine.status.conditions, api::condition::kContested);
  return found == nullptr ? std::string() : found->message.str();
}

template <typename Act>
int writes_in_a_minute(MachineFixture& world, fakes::RecordingClient& client, std::string_view what,
                       const Act& act) {
  client.forget();
  for (int second = 0; second < 60; ++second) {
    act(second);
    world.settle(1s);
  }
  return client.count(what);
}

TEST(Contests, OverALabelOfTheInfrastructureObjectCostFiveWritesInTheFirstMinuteAndTwoInEachAfterIt) {
  in_simulation([](MachineFixture& world) {
    world.make_cluster();
    world.start();
    world.make_machine();
    world.settle();
    const auto relabel = [&](int) {
      world.patch(kDockerMachines, "m1",
                  {{"metadata", {{"labels", {{"cluster.x-k8s.io/cluster-name", "mine"}}}}}});
    };

    const auto first = writes_in_a_minute(world, world.client, "patch dockermachines m1", relabel);
    const auto second = writes_in_a_minute(world, world.client, "patch dockermachines m1", relabel);
    const std::string shown = contested(world);
    world.settle(10min);

    EXPECT_GE(first, 1);
    EXPECT_LE(first, 5);
    EXPECT_LE(second, 2);
    EXPECT_THAT(shown,
                HasSubstr("metadata.labels[cluster.x-k8s.io/cluster-name] of DockerMachine default/m1"));
    EXPECT_THAT(world.events.events, Contains(HasSubstr("OverwrittenByAnother: ")).Times(1));
    EXPECT_EQ(contested(world), "") << "it is over";
  });
}

TEST(Contests, OverAnAnnotationOfTheNodeCostFiveWritesInTheFirstMinuteAndTwoInEachAfterIt) {
  in_simulation([](MachineFixture& world) {
    world.make_cluster();
    world.workload_clusters.connect(kCluster, &world.workload);
    world.start();
    world.make_machine();
    world.bootstrap_is_done();
    world.infrastructure_is_done();
    world.node_is_there();
    world.settle();
    const auto annotate = [&](int second) {
      auto node = builders::a_node("m1").provider_id("docker:////m1").build();
      node.metadata.annotations.set("cluster.x-k8s.io/machine", "another");
      node.metadata.annotations.set("second", Text(std::to_string(second)));
      node.metadata.resource_version = api::ResourceVersion(static_cast<std::uint64_t>(1'000'000 + second));
      world.workload_clusters.put_node(kCluster, node);
    };

    const auto first = writes_in_a_minute(world, world.workload, "patch nodes m1", annotate);
    const auto second = writes_in_a_minute(world, world.workload, "patch nodes m1", annotate);

    EXPECT_GE(first, 1);
    EXPECT_LE(first, 5);
    EXPECT_LE(second, 2);
  });
}

}  // namespace
}  // namespace capstan::controllers::machine
