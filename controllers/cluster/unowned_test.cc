// A Cluster that never came to own its infrastructure or control plane object still waits for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/cluster/turn_fixture.h"

namespace capstan::controllers::cluster {
namespace {

using namespace std::chrono_literals;

// Both are told to go before the Cluster could own them.
TEST(Unowned, ObjectsThatGoWakeTheClusterThatRefersToThem) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.put_provider(kControlPlane, "c1");
    for (const auto* kind : {&kInfra, &kControlPlane}) {
      world.patch(*kind, "c1", {{"metadata", {{"finalizers", json::array{"provider.example.com/it"}}}}});
    }
    auto paused = builders::a_cluster("c1").build();
    paused.spec.paused = true;
    world.make(kClusters, a_document(paused));
    world.start();
    world.remove(kClusters, "c1");
    for (const auto* kind : {&kInfra, &kControlPlane}) world.remove(*kind, "c1");
    world.settle();

    world.patch(kClusters, "c1", {{"spec", {{"paused", false}}}});
    world.settle();
    const bool waited = world.exists(kClusters, "c1");
    world.patch(kControlPlane, "c1", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(3s);
    world.patch(kInfra, "c1", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(3s);

    EXPECT_TRUE(waited);
    EXPECT_FALSE(world.exists(kClusters, "c1")) << world.condition("Deleting");
  });
}

}  // namespace
}  // namespace capstan::controllers::cluster
