#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/machine/turn_fixture.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const kube::ObjectKey kTheCluster{"default", "c1"};

TEST(Turns, BringAMachineToAvailableWithNineWrites) {
  in_simulation([](World& world) {
    world.make_cluster();
    world.workload_clusters.connect(kTheCluster, &world.workload);
    world.start();

    world.make_machine();
    world.settle();
    const std::string first = world.machine().status.phase.str();
    world.bootstrap_is_done();
    world.settle();
    const std::string second = world.machine().status.phase.str();
    world.infrastructure_is_done();
    world.settle();
    const std::string third = world.machine().status.phase.str();
    world.workload_clusters.put_node(
        kTheCluster,
        builders::a_node("m1").tainted("node.cluster.x-k8s.io/uninitialized", "NoSchedule").build());
    world.settle();

    EXPECT_THAT((std::vector{first, second, third, world.machine().status.phase.str()}),
                ElementsAre("Pending", "Provisioning", "Provisioned", "Running"));
    EXPECT_TRUE(api::conditions::is_true(world.machine().status.conditions, "Available"));
    EXPECT_THAT(world.what_was_written(),
                ElementsAre("patch kubeadmconfigs m1", "patch dockermachines m1", "patch machines/status m1",
                            "patch machines m1", "patch machines/status m1", "patch machines m1",
                            "patch machines/status m1", "patch machines/status m1"));
    EXPECT_THAT(world.what_the_node_got(), ElementsAre("patch nodes m1"));
    EXPECT_EQ(world.client.reads, 0);
    EXPECT_THAT(world.events.told, ElementsAre("SuccessfulSetNodeRef: m1"));
  });
}

}  // namespace
}  // namespace capstan::controllers::machine
