// Whole turns while another writer sets a label of ours to something else, second after second.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/cluster/turn_fixture.h"

namespace capstan::controllers::cluster {
namespace {

using testing::Contains;
using testing::HasSubstr;
using namespace std::chrono_literals;

TEST(Contests, OverALabelOfTheInfrastructureObjectCostFiveWritesInTheFirstMinuteAndTwoInEachAfterIt) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.put_provider(kControlPlane, "c1");
    world.make(kClusters, a_document(builders::a_cluster("c1")));
    world.start();
    world.settle();
    const auto writes_in_a_minute = [&] {
      (void)world.requests();
      for (int second = 0; second < 60; ++second) {
        world.patch(kInfra, "c1", {{"metadata", {{"labels", {{"cluster.x-k8s.io/cluster-name", "mine"}}}}}});
        world.settle(1s);
      }
      return std::ranges::count(world.requests(), "patch dockerclusters c1");
    };

    const auto first = writes_in_a_minute();
    const auto second = writes_in_a_minute();
    const std::string told = world.condition("Contested");
    world.settle(10min);

    EXPECT_GE(first, 1);
    EXPECT_LE(first, 5);
    EXPECT_LE(second, 2);
    EXPECT_EQ(told, "True OverwrittenByAnother");
    EXPECT_THAT(
        world.events.events,
        Contains(HasSubstr("metadata.labels[cluster.x-k8s.io/cluster-name] of DockerCluster default/c1 is "
                           "set to another value again and again by "))
            .Times(1));
    EXPECT_EQ(world.condition("Contested"), "absent") << "it is over";
  });
}

}  // namespace
}  // namespace capstan::controllers::cluster
