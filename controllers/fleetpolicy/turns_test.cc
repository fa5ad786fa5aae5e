#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/conditions/conditions.h"
#include "controllers/fleetpolicy/reconciler.h"
#include "controllers/shared/controller_fixture.h"
#include "test/builders/cluster.h"
#include "test/builders/fleet_policy.h"
#include "test/builders/machine.h"

namespace capstan::controllers::fleetpolicy {
namespace {

namespace json = boost::json;
using builders::a_fleet_policy;
using builders::a_machine;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Not;
using testing::SizeIs;
using namespace std::chrono_literals;

const kube::Resource kPolicies = kube::resource_of<api::FleetPolicy>();
const kube::Resource kMachines = kube::resource_of<api::Machine>();
const kube::Resource kClusters = kube::resource_of<api::Cluster>();

class FleetPolicyFixture : public ControllerFixture<Reconciler> {
 public:
  explicit FleetPolicyFixture(fakes::Baton& with)
      : ControllerFixture(with, {.name = "fleetpolicy", .kind = "FleetPolicy", .pace = 100ms}) {}

  // As its MachineSet asks.
  void make_asking(std::string_view name, std::string_view reason = "ScaleIn") {
    const std::string request = std::string(reason) + "~" + Time::from(baton.now()).to_string();
    make(a_machine(name).in_set("ms1").annotated("capstan.dev/fleet-request", request).build());
  }
  bool is_granted(std::string_view machine) {
    return read<api::Machine>(machine).metadata.annotations.contains("capstan.dev/fleet-grant");
  }
  bool is_asking(std::string_view machine) {
    return read<api::Machine>(machine).metadata.annotations.contains("capstan.dev/fleet-request");
  }
  // As the infrastructure provider does for a VM of that Cluster that is no object's.
  void use_grant(std::string_view cluster) {
    const json::value none = {{"metadata", {{"annotations", {{"capstan.dev/fleet-request", nullptr}}}}}};
    ASSERT_TRUE(user.patch(kClusters, key_in(kClusters, cluster), none, {}, Deadline::never()));
  }
  api::FleetPolicyStatus status(std::string_view policy = "fleet") {
    return read<api::FleetPolicy>(policy).status;
  }
  // Another granter at the same time gives a place to that Machine.
  void grant_elsewhere(std::string_view machine) {
    auto policy = a_fleet_policy().granted(machine, Time::from(baton.now())).build();
    policy.status.grants[0].uid = read<api::Machine>(machine).metadata.uid;
    patch(kPolicies, "fleet", {{"status", api::to_json(policy).at("status")}}, "status");
  }
  template <typename T>
  T read(std::string_view name) {
    return kube::get<T>(user, key_in(kube::resource_of<T>(), name), Deadline::never()).value();
  }
};

void in_world(const std::function<void(FleetPolicyFixture&)>& body) {
  under_seeds([&](fakes::Baton& baton) {
    FleetPolicyFixture world(baton);
    body(world);
  });
}

TEST(FleetTurns, WriteTheStatusBeforeTheMachineIsTold) {
  in_world([](FleetPolicyFixture& world) {
    world.make(a_fleet_policy().limits(1).build());
    world.start();
    (void)world.requests();

    world.make_asking("a");
    world.settle();

    EXPECT_TRUE(world.is_granted("a"));
    EXPECT_THAT(world.status().grants, SizeIs(1));
    EXPECT_THAT(world.requests(), ElementsAre("patch fleetpolicies/status fleet", "patch machines a"));
  });
}

// By its annotation the Cluster asks for one VM of it that is no object's.
TEST(FleetTurns, HoldTheDeletionOfAnOrphanBeforeItsClusterIsTold) {
  in_world([](FleetPolicyFixture& world) {
    world.make(a_fleet_policy().limits(1).build());
    world.start();
    (void)world.requests();

    world.make(builders::a_cluster("c9")
                   .annotated("capstan.dev/fleet-request", "Orphans~2026-01-01T00:00:00Z")
                   .build());
    world.settle();

    EXPECT_TRUE(world.read<api::Cluster>("c9").metadata.annotations.contains("capstan.dev/fleet-grant"));
    EXPECT_THAT(world.status().grants, SizeIs(1));
    EXPECT_THAT(world.requests(), ElementsAre("patch fleetpolicies/status fleet", "patch clusters c9"));
  });
}

// The provider takes the request off when it uses the grant.
TEST(FleetTurns, CountTheDeletionOfAnOrphanFromWhenItsGrantIsUsed) {
  in_world([](FleetPolicyFixture& world) {
    world.make(a_fleet_policy().limits(1).build());
    world.make(builders::a_cluster("c9")
                   .annotated("capstan.dev/fleet-request", "Orphans~2026-01-01T00:00:00Z")
                   .build());
    world.start();
    world.settle(5min);

    world.use_grant("c9");
    world.settle();

    EXPECT_FALSE(world.read<api::Cluster>("c9").metadata.annotations.contains("capstan.dev/fleet-grant"));
    EXPECT_THAT(world.status().grants, IsEmpty());
    ASSERT_THAT(world.status().buckets, SizeIs(1));
    EXPECT_GE(world.status().buckets[0].minute, Time::from(world.baton.now()) + -120s);
  });
}

TEST(FleetTurns, LetTheSecondOneWaitUntilTheWindowHasPassed) {
  in_world([](FleetPolicyFixture& world) {
    world.make(a_fleet_policy().limits(1, 60s).build());
    world.make_asking("a");
    world.start();
    world.make_asking("b");
    world.settle();
    ASSERT_TRUE(world.is_granted("a"));
    EXPECT_FALSE(world.is_granted("b"));
    EXPECT_EQ(world.status().waiting, 1);

    world.remove(kMachines, "a");
    world.settle();
    EXPECT_FALSE(world.is_granted("b"));
    world.settle(130s);

    EXPECT_TRUE(world.is_granted("b"));
    EXPECT_EQ(world.status().waiting, 0);
  });
}

TEST(FleetTurns, GiveBackWhatWasNotUsedAndServeTheNextOne) {
  in_world([](FleetPolicyFixture& world) {
    world.make(a_fleet_policy().limits(1).build());
    world.make_asking("a");
    world.start();
    world.make_asking("b");
    world.settle();

    world.settle(11min);

    EXPECT_FALSE(world.is_granted("a"));
    EXPECT_FALSE(world.is_asking("a"));
    EXPECT_TRUE(world.is_granted("b"));
  });
}

TEST(FleetTurns, TellAgainWhatAGranterBeforeThemHadWrittenDown) {
  in_world([](FleetPolicyFixture& world) {
    const Time now = Time::from(world.baton.now());
    world.make_asking("a");
    auto policy = a_fleet_policy().limits(1).granted("a", now).build();
    policy.status.grants[0].uid = world.read<api::Machine>("a").metadata.uid;
    world.put(policy);

    world.start();

    EXPECT_TRUE(world.is_granted("a"));
    EXPECT_THAT(world.status().grants, SizeIs(1));
  });
}

TEST(FleetTurns, TellNoMachineWhenTheStatusCouldNotBeWritten) {
  in_world([](FleetPolicyFixture& world) {
    world.make(a_fleet_policy().limits(1).build());
    world.start();
    world.choose = [](const fakes::FaultPoint& at) {
      return at.kind == "FleetPolicy" && at.call == fakes::Call::Patch ? fakes::Fault::Unavailable
                                                                       : fakes::Fault::None;
    };

    world.make_asking("a");
    world.settle();

    EXPECT_FALSE(world.is_granted("a"));
    EXPECT_THAT(world.status().grants, IsEmpty());
  });
}

// Both want to give the only place away: a to the first one, by what it saw, and b to the second one.
TEST(FleetTurns, GiveNoPlaceByAStatusThatAnotherGranterHasChangedMeanwhile) {
  in_world([](FleetPolicyFixture& world) {
    world.make_asking("a");
    world.make_asking("b");
    world.make(a_fleet_policy().limits(1).build());
    world.client.before =
        [&world, changed = false](const fakes::RecordedRequest& request) mutable -> std::optional<Error> {
      if (request.is("patch fleetpolicies/status") && !std::exchange(changed, true))
        world.grant_elsewhere("b");
      return std::nullopt;
    };

    world.start();
    world.settle(20s);

    EXPECT_THAT(world.requests(), Not(Contains("patch machines a")));
    EXPECT_FALSE(world.is_granted("a"));
    EXPECT_TRUE(world.is_granted("b"));
    ASSERT_THAT(world.status().grants, SizeIs(1));
    EXPECT_EQ(world.status().grants[0].name, "b");
    EXPECT_EQ(world.status().waiting, 1);
  });
}

TEST(FleetTurns, IgnoreASecondPolicyAndSaySo) {
  in_world([](FleetPolicyFixture& world) {
    world.make(a_fleet_policy().limits(0).build());
    world.make(a_fleet_policy("other").limits(9).build());
    world.make_asking("a");
    world.start();

    const auto applied = api::conditions::find(world.status("other").conditions, "Applied");
    ASSERT_NE(applied, nullptr);
    EXPECT_EQ(applied->reason, "Ignored");
    EXPECT_FALSE(world.is_granted("a"));
  });
}

TEST(FleetTurns, CostNothingOnceEverythingIsSaid) {
  in_world([](FleetPolicyFixture& world) {
    world.make(a_fleet_policy().limits(0).build());
    world.make_asking("a");
    world.start();
    (void)world.requests();

    world.settle(1h);

    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

// The request is the third write of a grant.
TEST(FleetTurns, GrantManyAtOnceForOneWriteEachAndAFewOfTheStatus) {
  static constexpr int kMany = 100;
  under_seeds(
      [](fakes::Baton& baton) {
        FleetPolicyFixture world(baton);
        world.make(a_fleet_policy().limits(kMany).build());
        world.start();
        (void)world.requests();

        for (int i = 0; i < kMany; ++i) world.make_asking("m" + std::to_string(i));
        world.settle(20s);

        const auto requests = world.requests();
        EXPECT_EQ(world.status().in_flight, kMany);
        EXPECT_THAT(requests, SizeIs(Le(static_cast<std::size_t>(kMany * 1.1))));
      },
      2);
}

}  // namespace
}  // namespace capstan::controllers::fleetpolicy
