#include "kubeconfig/wanted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubeconfig/registry_fixture.h"
#include "kubeconfig/workload_registry.h"
#include "test/builders/cluster.h"
#include "test/fakes/baton.h"

namespace capstan::kubeconfig {
namespace {

using builders::a_cluster;
using builders::ClusterBuilder;
using namespace std::literals;

Wish between(const ClusterBuilder& before, const ClusterBuilder& after) {
  return wish_after({.before = before.shared(), .after = after.shared()});
}
Wish appears(const ClusterBuilder& cluster) { return wish_after({.after = cluster.shared()}); }
Wish disappears(const ClusterBuilder& cluster) { return wish_after({.before = cluster.shared()}); }

TEST(Wanted, AClusterIsWantedOnceItsInfrastructureIsProvisioned) {
  EXPECT_EQ(appears(a_cluster()), Wish::Nothing);
  EXPECT_EQ(appears(a_cluster().infrastructure_provisioned()), Wish::Want);
  EXPECT_EQ(between(a_cluster(), a_cluster().infrastructure_provisioned()), Wish::Want);
  EXPECT_EQ(between(a_cluster(), a_cluster().labelled("x")), Wish::Nothing);
}

TEST(Wanted, PausedClustersAndThoseBeingDeletedStayConnected) {
  EXPECT_EQ(appears(a_cluster().infrastructure_provisioned().held()), Wish::Want);
  EXPECT_EQ(appears(a_cluster().infrastructure_provisioned().deleting()), Wish::Want);
  EXPECT_EQ(
      between(a_cluster().infrastructure_provisioned(), a_cluster().infrastructure_provisioned().deleting()),
      Wish::Nothing);
}

TEST(Wanted, AClusterThatIsGoneIsForgotten) {
  EXPECT_EQ(disappears(a_cluster().infrastructure_provisioned()), Wish::Forget);
  EXPECT_EQ(disappears(a_cluster()), Wish::Nothing);
}

TEST(Wanted, AControlPlaneThatCameUpOrMovedIsTriedAtOnce) {
  const ClusterBuilder provisioned = a_cluster().infrastructure_provisioned().endpoint("a", 6443);

  EXPECT_EQ(between(provisioned, ClusterBuilder(provisioned).control_plane_initialized()), Wish::Hurry);
  EXPECT_EQ(between(provisioned, ClusterBuilder(provisioned).endpoint("b", 6443)), Wish::Hurry);
  EXPECT_EQ(between(provisioned, ClusterBuilder(provisioned).labelled("x")), Wish::Nothing);
}

TEST(Wanted, AClusterDeletedAndMadeAgainBetweenTwoLooksIsAnotherOne) {
  const ClusterBuilder old = a_cluster().infrastructure_provisioned();
  ClusterBuilder fresh = a_cluster().infrastructure_provisioned();
  fresh.with([](api::Cluster& cluster) { cluster.metadata.uid = builders::uid_of("Cluster", "another"); });

  EXPECT_EQ(between(old, fresh), Wish::Anew);
}

TEST(Wanted, FollowingConnectsOwnClustersAndNoOthers) {
  fakes::Baton baton({.seed = 2});
  const auto report = baton.run([&] {
    RegistryFixture world(baton, baton);
    world.cluster("mine");
    world.cluster("theirs");
    SeededRandomness randomness(1);
    kube::WatchLoop loop(baton, baton);
    WorkloadRegistry registry({.clock = baton,
                               .threads = baton,
                               .management = world.management,
                               .randomness = randomness,
                               .loop = loop},
                              world.dial());
    runtime::Store<api::Cluster> clusters("Cluster");
    follow(clusters, registry, [](const api::Cluster& cluster) { return cluster.metadata.name != "theirs"; });
    registry.start();
    const auto put = [&](const std::string& name) {
      clusters.apply(a_cluster(name).in_namespace("default").infrastructure_provisioned());
    };

    put("mine");
    put("theirs");
    baton.pause(Deadline::in(baton, 5s));
    EXPECT_TRUE(registry.reach({"default", "mine"}).connected);
    EXPECT_EQ(world.server("theirs").dials, 0);
    clusters.remove({"default", "mine"}, {});

    EXPECT_FALSE(registry.reach({"default", "mine"}).connected);
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

}  // namespace
}  // namespace capstan::kubeconfig
