#include "kubeconfig/wanted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "api/names.h"
#include "kubeconfig/registry_fixture.h"
#include "kubeconfig/workload_registry.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/fakes/baton.h"

namespace capstan::kubeconfig {
namespace {

using builders::a_cluster;
using builders::a_machine;
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

// A manager with --watch-filter=mine, and the clusters `c1` and `c2` that it could reach.
class Following {
 public:
  explicit Following(fakes::Baton& with) : baton_(with), world_(with, with), loop_(with, with) {
    world_.cluster("c1");
    world_.cluster("c2");
    registry_.emplace(RegistrySeams{.clock = with,
                                    .threads = with,
                                    .management = world_.management,
                                    .randomness = randomness_,
                                    .loop = loop_},
                      world_.dial());
    follow(clusters, {.watch_filter = "mine", .machines = machines, .machine_pools = pools}, *registry_);
    registry_->start();
  }

  void put_cluster(std::string_view name, std::string_view filter) {
    clusters.apply(a_cluster(name)
                       .infrastructure_provisioned()
                       .labelled(api::label::kWatchFilter, filter)
                       .version_number(++version_));
  }
  void put_machine(std::string_view name, std::string_view cluster, std::string_view filter) {
    machines.apply(a_machine(name).in_cluster(cluster).labelled(api::label::kWatchFilter, filter));
  }
  bool connected(std::string_view cluster) {
    baton_.pause(Deadline::in(baton_, 5s));
    return registry_->reach({"default", std::string(cluster)}).connected;
  }
  int dials(std::string_view cluster) { return world_.server(std::string(cluster)).dials; }

  runtime::Store<api::Cluster> clusters{"Cluster"};
  runtime::Store<api::Machine> machines{"Machine"};
  runtime::Store<api::MachinePool> pools{"MachinePool"};

 private:
  fakes::Baton& baton_;
  std::uint64_t version_ = 0;
  RegistryFixture world_;
  SeededRandomness randomness_{1};
  kube::WatchLoop loop_;
  std::optional<WorkloadRegistry> registry_ = {};
};

void following(const std::function<void(Following&)>& body) {
  fakes::Baton baton({.seed = 2});
  const auto report = baton.run([&] {
    Following stage(baton);
    body(stage);
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

TEST(Wanted, FollowingConnectsOwnClustersAndNoOthers) {
  following([](Following& stage) {
    stage.put_cluster("c1", "mine");
    stage.put_cluster("c2", "theirs");
    EXPECT_TRUE(stage.connected("c1"));
    EXPECT_EQ(stage.dials("c2"), 0);

    stage.clusters.remove({"default", "c1"}, {});

    EXPECT_FALSE(stage.connected("c1"));
  });
}

TEST(Wanted, AClusterThatChangesHandsIsLetGoAndTakenUp) {
  following([](Following& stage) {
    stage.put_cluster("c1", "mine");
    stage.put_cluster("c2", "theirs");
    ASSERT_TRUE(stage.connected("c1"));

    stage.put_cluster("c1", "theirs");
    stage.put_cluster("c2", "mine");

    EXPECT_FALSE(stage.connected("c1"));
    EXPECT_TRUE(stage.connected("c2"));
  });
}

TEST(Wanted, AClusterOfAnotherManagerIsFollowedWhileAMachineInItIsOurs) {
  following([](Following& stage) {
    stage.put_cluster("c1", "theirs");
    stage.put_cluster("c2", "theirs");
    stage.put_machine("m1", "c1", "mine");
    stage.put_machine("m2", "c2", "theirs");
    EXPECT_TRUE(stage.connected("c1"));
    EXPECT_EQ(stage.dials("c2"), 0);

    stage.machines.remove({"default", "m1"}, {});

    EXPECT_FALSE(stage.connected("c1"));
  });
}

TEST(Wanted, AMachineThatIsSeenBeforeItsClusterIsEnough) {
  following([](Following& stage) {
    stage.put_machine("m1", "c1", "mine");
    ASSERT_FALSE(stage.connected("c1"));

    stage.put_cluster("c1", "theirs");

    EXPECT_TRUE(stage.connected("c1"));
  });
}

TEST(Wanted, APoolIsAsGoodAsAMachine) {
  following([](Following& stage) {
    stage.put_cluster("c1", "theirs");
    api::MachinePool pool;
    pool.metadata = builders::metadata_of("MachinePool", "p1");
    pool.metadata.labels.set(api::label::kWatchFilter, "mine");
    pool.spec.cluster_name = Text("c1");

    stage.pools.apply(std::move(pool));

    EXPECT_TRUE(stage.connected("c1"));
  });
}

}  // namespace
}  // namespace capstan::kubeconfig
