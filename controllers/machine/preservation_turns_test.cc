#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/machine/turn_fixture.h"
#include "test/builders/cluster.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using builders::a_node;
using builders::NodeBuilder;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

constexpr std::string_view kPreserve = "capstan.dev/preserve";
constexpr std::string_view kUntil = "capstan.dev/preserve-until";
constexpr std::string_view kDisabled = "cluster-autoscaler.kubernetes.io/scale-down-disabled";
constexpr std::string_view kDisabledByUs = "capstan.dev/scale-down-disabled";
const kube::ObjectKey kTheCluster{"default", "c1"};

// As the Machine controller leaves it, but for what the test adds.
NodeBuilder node_of_m1() {
  return a_node("m1")
      .annotated("cluster.x-k8s.io/cluster-name", "c1")
      .annotated("cluster.x-k8s.io/cluster-namespace", "default")
      .annotated("cluster.x-k8s.io/machine", "m1")
      .annotated("cluster.x-k8s.io/owner-kind", "MachineSet")
      .annotated("cluster.x-k8s.io/owner-name", "ms1");
}

void m1_runs(MachineFixture& world) {
  world.make_cluster();
  world.workload_clusters.connect(kTheCluster, &world.workload);
  world.start();
  world.make_machine();
  world.bootstrap_is_done();
  world.infrastructure_is_done();
  world.workload_clusters.put_node(kTheCluster, node_of_m1().build());
  world.settle();
  world.forget_what_happened();
}

void annotate(MachineFixture& world, std::string_view key, const json::value& value) {
  world.patch(machines(), "m1", {{"metadata", {{"annotations", {{key, value}}}}}});
  world.settle(10s);
}

std::string shown(const MachineFixture& world) {
  const api::Machine machine = world.machine();
  const auto found = api::conditions::find(machine.status.conditions, "capstan.dev/Preserved");
  return found == nullptr ? "nothing" : found->reason.str();
}

TEST(PreservationTurns, TakeTwoWritesAndOneOfTheNodeAndNoneAfterThat) {
  in_simulation([](MachineFixture& world) {
    m1_runs(world);

    annotate(world, kPreserve, "now");

    EXPECT_THAT(world.what_was_written(), ElementsAre("patch machines m1", "patch machines/status m1"));
    EXPECT_THAT(world.what_the_node_got(), ElementsAre("patch nodes m1"));
    EXPECT_EQ(shown(world), "PreservedAsAsked");
    world.workload_clusters.put_node(kTheCluster, node_of_m1()
                                                      .annotated(kDisabled, "true")
                                                      .annotated(kDisabledByUs, "true")
                                                      .version_number(900'001)
                                                      .build());
    world.settle();
    world.forget_what_happened();

    world.settle(1h);

    EXPECT_THAT(world.what_was_written(), IsEmpty());
    EXPECT_THAT(world.what_the_node_got(), IsEmpty());
  });
}

TEST(PreservationTurns, EndByThemselvesAndWithoutTheWishNothingIsLeft) {
  in_simulation([](MachineFixture& world) {
    m1_runs(world);
    annotate(world, kPreserve, "now");
    world.workload_clusters.put_node(kTheCluster, node_of_m1()
                                                      .annotated(kDisabled, "true")
                                                      .annotated(kDisabledByUs, "true")
                                                      .version_number(900'001)
                                                      .build());
    world.settle();
    ASSERT_EQ(shown(world), "PreservedAsAsked");
    world.forget_what_happened();

    world.settle(259'200s);

    EXPECT_EQ(shown(world), "nothing");
    EXPECT_FALSE(world.machine().metadata.annotations.contains(kPreserve));
    EXPECT_FALSE(world.machine().metadata.annotations.contains(kUntil));
    EXPECT_FALSE(world.what_the_node_got().empty());
  });
}

// The manager that wrote the end died before it wrote to the Node.
TEST(PreservationTurns, FinishWhatAnotherManagerHasBegun) {
  in_simulation([](MachineFixture& world) {
    m1_runs(world);

    world.patch(machines(), "m1",
                {{"metadata", {{"annotations", {{kPreserve, "now"}, {kUntil, "2040-01-01T00:00:00Z"}}}}}});
    world.settle();

    EXPECT_EQ(world.machine().metadata.annotations.value_or_empty(kUntil), "2040-01-01T00:00:00Z");
    EXPECT_THAT(world.what_the_node_got(), ElementsAre("patch nodes m1"));
  });
}

}  // namespace
}  // namespace capstan::controllers::machine
