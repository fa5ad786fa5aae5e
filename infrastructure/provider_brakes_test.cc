// Freezes and the loss of an API server, as the core tells of them, hold what the provider makes and removes.
#include "api/conditions/conditions.h"
#include "infrastructure/provider_fixture.h"

namespace capstan::infrastructure {
namespace {

using namespace std::chrono_literals;

using testing::SizeIs;

const std::string kFrozenCluster = "Cluster c1 is frozen by the annotation capstan.dev/freeze; take it off";

TEST(ProviderBrakes, AFrozenPoolMakesNoneRemovesNoneAndReplacesNone) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));

    world.management.freeze<api::MachinePool>("mp1");
    world.management.resize("mp1", 4);
    world.pause(2min);
    EXPECT_EQ(world.cloud.created(), 2U);
    EXPECT_EQ(world.management.pool_ready("mp1"),
              "Resizing: 2 of 4 instances are there; none is made: MachinePool mp1 is frozen by the "
              "annotation capstan.dev/freeze; take it off");
    world.management.resize("mp1", 1);
    world.pause(2min);
    EXPECT_THAT(world.cloud.vms(), SizeIs(2));
    EXPECT_THAT(world.management.pool_ready("mp1"),
                HasSubstr("2 instances are there, 1 are wanted; none is removed: MachinePool mp1"));
    world.management.resize("mp1", 2);
    world.cloud.vanish("mp1-0");
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 1); })) << "the list is kept true";
    world.pause(2min);
    EXPECT_EQ(world.cloud.created(), 2U);

    world.management.thaw<api::MachinePool>("mp1");
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }, 10s));
    EXPECT_TRUE(world.eventually([&] { return world.management.pool_ready("mp1") == "Ready: "; }));
  });
}

TEST(ProviderBrakes, AnInstanceThatStoppedStaysWhileItsPoolIsFrozen) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));

    world.management.freeze<api::Cluster>("c1");
    world.cloud.stop("mp1-0");
    world.pause(2min);

    EXPECT_EQ(world.vms_named("mp1-0"), 1U);
    EXPECT_EQ(world.cloud.created(), 2U);
    EXPECT_TRUE(world.management.has("mp1", 2)) << "its Node stays, too";
    EXPECT_EQ(world.management.pool_ready("mp1"),
              "Resizing: 1 of 2 instances are there; none is made: " + kFrozenCluster);
    world.management.thaw<api::Cluster>("c1");
    EXPECT_TRUE(world.eventually([&] { return world.vms_named("mp1-2") == 1; }));
  });
}

TEST(ProviderBrakes, APoolWithTooManyInstancesMakesNoneUntilTheCoreSaysSo) {
  InfrastructureFixture world;
  const auto says = [&](std::string_view status, std::string_view reason) {
    world.management.change_status<api::MachinePool>("mp1", [&](api::MachinePool& pool) {
      api::conditions::set(pool.status.conditions,
                           api::conditions::make("capstan.dev/Frozen", status, reason), 1,
                           Time::from(world.baton.now()));
    });
  };
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 3);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 3); }));

    says("True", "OvershootingReplicaCount");
    world.management.resize("mp1", 2);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); })) << "fewer are welcome";
    world.management.resize("mp1", 4);
    world.pause(2min);
    EXPECT_EQ(world.cloud.created(), 3U);

    says("False", "NotFrozen");
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 4); }, 10s));
  });
}

TEST(ProviderBrakes, APoolWhoseApiServerIsOutOfReachStaysAsItIs) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }))
        << "before the control plane is initialized nothing is held";

    world.management.probe_cluster("False");
    world.management.resize("mp1", 3);
    world.pause(2min);
    EXPECT_EQ(world.cloud.created(), 2U);
    world.management.resize("mp1", 1);
    world.pause(2min);
    EXPECT_THAT(world.cloud.vms(), SizeIs(2));
    EXPECT_EQ(world.management.pool_ready("mp1"),
              "Resizing: 2 instances are there, 1 are wanted; none is removed: the core does not reach the "
              "API server of Cluster c1, see its condition RemoteConnectionProbe");

    world.management.probe_cluster("True");
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 1); }, 10s));
  });
}

TEST(ProviderBrakes, AFrozenPoolThatAUserDeletesGoes) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));
    world.management.freeze<api::Cluster>("c1");

    world.management.remove<api::DriverMachinePool>("mp1");

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachinePool>("mp1"); }));
    EXPECT_THAT(world.cloud.vms(), SizeIs(0));
  });
}

TEST(ProviderBrakes, AMachineWithoutAVmGetsNoneInAFrozenCluster) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.freeze<api::Cluster>("c1");

    world.management.add_machine("m1");
    world.pause(5min);
    EXPECT_EQ(world.cloud.created(), 0U);
    EXPECT_EQ(world.management.ready_reason("m1"), "WaitingForCluster");
    EXPECT_TRUE(world.management.get<api::DriverMachine>("m1")->spec.instance_key.empty());

    world.management.thaw<api::Cluster>("c1");
    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }, 30s));
  });
}

TEST(ProviderBrakes, AMachineWithoutAVmGetsNoneWhileTheApiServerIsOutOfReach) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m0");
    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m0"); }))
        << "before the control plane is initialized nothing is held";
    world.management.probe_cluster("Unknown");

    world.management.add_machine("m1");
    world.pause(1min);
    EXPECT_FALSE(world.management.provisioned("m1"));
    EXPECT_EQ(world.cloud.created(), 1U);

    world.management.probe_cluster("True");
    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }, 30s));
  });
}

TEST(ProviderBrakes, AVmWhoseAnswerWasLostIsFoundInAFrozenCluster) {
  InfrastructureFixture world({.faults = {{.verb = sim::SimVerb::Create,
                                           .code = DriverCode::DeadlineExceeded,
                                           .times = 1,
                                           .happened = true}}});
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.cloud.created() == 1; }));

    world.management.freeze<api::Cluster>("c1");

    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));
    EXPECT_EQ(world.cloud.created(), 1U);
  });
}

TEST(ProviderBrakes, AWrittenKeyWithoutAVmWaitsInAFrozenCluster) {
  InfrastructureFixture world(
      {.faults = {{.verb = sim::SimVerb::Create, .lasts = 5min, .code = DriverCode::Internal}}});
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.management.ready_reason("m1") == "CreateFailed"; }));

    world.management.freeze<api::Cluster>("c1");
    world.pause(20min);

    EXPECT_EQ(world.cloud.created(), 0U) << "the cloud would make one by now";
    EXPECT_EQ(world.management.ready_reason("m1"), "WaitingForCluster");
    world.management.thaw<api::Cluster>("c1");
    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }, 30s));
  });
}

}  // namespace
}  // namespace capstan::infrastructure
