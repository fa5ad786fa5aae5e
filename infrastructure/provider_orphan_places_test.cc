// Orphans whose deletion needs a place in the limits of the FleetPolicy: they ask by an annotation of their
// Cluster, and the controller of the FleetPolicy, here the test, answers with another one.
#include "api/policy/fleet_policy.h"
#include "api/policy/fleet_request.h"
#include "infrastructure/account_fixture.h"
#include "test/builders/machine.h"

namespace capstan::infrastructure {
namespace {

using namespace std::chrono_literals;
namespace annotation = api::policy::annotation;

constexpr Nanoseconds kPeriod = 15min;

struct PlaceFixture : AccountFixture {
  PlaceFixture() { orphans = {.action = OrphanAction::Delete, .has_limits = true}; }

  // Until an orphan of the cluster is in line.
  bool asks(int within = 6) {
    return eventually([&] { return has(annotation::kFleetRequest); }, kPeriod * within);
  }
  void grant(Seconds ago = Seconds(0)) {
    orphans.granted = {management.get<api::Cluster>("c1")->metadata.uid};
    write_grant(ago);
  }
  // As a copied manifest brings it, too.
  void write_grant(Seconds ago = Seconds(0)) {
    const Time at = Time::from(baton.now()) + -ago;
    management.change<api::Cluster>("c1", [&](api::Cluster& cluster) {
      cluster.metadata.annotations.set(Text(annotation::kFleetGrant), Text(at.to_string()));
    });
  }
  // As the controller of the FleetPolicy does once it has seen that the grant was used.
  void end_grant() {
    management.change<api::Cluster>(
        "c1", [](api::Cluster& cluster) { cluster.metadata.annotations.erase(annotation::kFleetGrant); });
  }
  bool has(std::string_view key) {
    return management.get<api::Cluster>("c1")->metadata.annotations.contains(key);
  }
  void lose(const std::vector<std::string>& machines) {
    std::vector<std::string> all = machines;
    all.insert(all.begin(), "m1");
    lead_to("acme");
    bring_up(all);
    for (const std::string& name : machines) lose_object_of(name);
  }
  void periods(int count) { pause(kPeriod * count + 10s); }
};

TEST(OrphanPlaces, AreAskedForAndNothingGoesWithoutOne) {
  PlaceFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});

    ASSERT_TRUE(world.asks());
    world.periods(5);

    EXPECT_EQ(world.vms_named("m2"), 1U);
    EXPECT_THAT(world.told_of("m2"), HasSubstr("kept until the FleetPolicy has a place in its limits"));
    const auto request = api::policy::fleet_request_in(world.management.get<api::Cluster>("c1")->metadata);
    EXPECT_EQ(request->reason, "Orphans");
  });
}

TEST(OrphanPlaces, LetOneVmGoEach) {
  PlaceFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2", "m3"});
    ASSERT_TRUE(world.asks());

    world.grant();
    world.pause(1min);
    EXPECT_EQ(world.cloud.vms().size(), 2U) << "m1, and one of the two; at once, and not by the next list";
    EXPECT_FALSE(world.has(annotation::kFleetRequest)) << "used up";
    world.periods(5);
    EXPECT_EQ(world.cloud.vms().size(), 2U);
    EXPECT_TRUE(world.has(annotation::kFleetGrant)) << "its giver has not counted it yet";

    world.end_grant();
    ASSERT_TRUE(world.asks());
    world.grant();
    world.pause(1min);
    EXPECT_EQ(world.cloud.vms().size(), 1U);
  });
}

TEST(OrphanPlaces, ThatTheFleetPolicyNeverGaveLetNoneGo) {
  PlaceFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});
    ASSERT_TRUE(world.asks());

    world.write_grant();
    world.periods(5);

    EXPECT_EQ(world.vms_named("m2"), 1U);
  });
}

TEST(OrphanPlaces, OfLongAgoLetNoneGo) {
  PlaceFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});
    ASSERT_TRUE(world.asks());

    world.grant(10min);
    world.periods(5);

    EXPECT_EQ(world.vms_named("m2"), 1U);
  });
}

// The place comes long after the list that showed the VM.
TEST(OrphanPlaces, LetNoSecondVmGoThatAnObjectNamesByThen) {
  PlaceFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({});
    const std::string first = world.management.get<api::DriverMachine>("m1")->spec.provider_id.str();
    world.cloud.duplicate("m1");
    ASSERT_TRUE(world.asks());

    api::DriverMachineSpec spec;
    for (const Vm& vm : world.cloud.vms())
      if (vm.provider_id != first) spec.provider_id = Text(vm.provider_id);
    world.management.add_machine("m5", spec, false);
    world.pause(5s);
    world.grant();
    world.pause(1min);

    EXPECT_EQ(world.vms_named("m1"), 2U);
    EXPECT_THAT(world.told_of("m1"), HasSubstr("kept: an object names it by now"));
  });
}

TEST(OrphanPlaces, AreGivenUpWhenTheVmIsNoOrphanAnyMore) {
  PlaceFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});
    ASSERT_TRUE(world.asks());

    world.management.put(api::Machine(builders::a_machine("m2")));
    world.periods(2);

    EXPECT_FALSE(world.has(annotation::kFleetRequest));
  });
}

TEST(OrphanPlaces, OpenNoOtherBrake) {
  PlaceFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});
    ASSERT_TRUE(world.asks());
    world.pause(1min);

    world.management.change<api::Cluster>("c1", [](api::Cluster& cluster) {
      cluster.metadata.annotations.set("capstan.dev/freeze", "an incident");
    });
    world.grant();
    world.pause(9min);

    EXPECT_EQ(world.vms_named("m2"), 1U);
  });
}

// The limits hold also while the Cluster can't be written.
TEST(OrphanPlaces, ThatCannotBeTakenKeepTheVm) {
  PlaceFixture world;
  bool away = false;
  world.fault = [&](const FaultPoint& at) {
    return away && at.call == Call::Patch && at.kind == "Cluster" ? Fault::Unavailable : Fault::None;
  };
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});
    ASSERT_TRUE(world.asks());

    away = true;
    world.grant();
    world.pause(5min);

    EXPECT_EQ(world.vms_named("m2"), 1U);
    EXPECT_THAT(world.told_of("m2"), HasSubstr("kept: the Cluster can't ask the FleetPolicy"));
  });
}

TEST(OrphanPlaces, AreNeededWhereTheFleetPolicyHasLimitsOrWindows) {
  for (const bool limits : {false, true}) {
    PlaceFixture world;
    world.settings_on_server = true;
    world.run([&] {
      api::FleetPolicy policy;
      policy.metadata.name = Text(api::policy::kFleetPolicyName);
      policy.spec.orphans = api::FleetOrphans{.action = "Delete"_text};
      if (limits) policy.spec.limits.push_back({.max = IntOrString(5)});
      if (!limits) policy.spec.windows.push_back({.cron = "0 2 * * SAT"_text, .duration_seconds = 3600});
      world.management.put(policy);
      AccountFixture::Process provider(world, world.management);
      world.lose({"m2"});

      EXPECT_TRUE(world.asks());
    });
  }
}

TEST(OrphanPlaces, AreNotAskedForWithoutLimits) {
  PlaceFixture world;
  world.orphans.has_limits = false;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});

    EXPECT_TRUE(world.eventually([&] { return world.vms_named("m2") == 0; }, kPeriod * 6));
    EXPECT_FALSE(world.has(annotation::kFleetRequest));
  });
}

}  // namespace
}  // namespace capstan::infrastructure
