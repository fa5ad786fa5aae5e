// What the provider makes of a VM that still has to be set up, and of several drivers.
#include <gmock/gmock.h>

#include <atomic>

#include "infrastructure/provider_fixture.h"

namespace capstan::infrastructure {
namespace {

using namespace std::chrono_literals;
using sim::FaultRule;
using sim::SimVerb;
using testing::Each;
using testing::HasSubstr;

sim::Script with(std::vector<FaultRule> faults) { return {.faults = std::move(faults)}; }

TEST(ProviderInitialize, SetsUpAVmWhoseCreationLeftThatToDo) {
  InfrastructureFixture world(
      with({{.verb = SimVerb::Create, .code = DriverCode::Uninitialized, .times = 1, .happened = true}}));
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();

    world.management.add_machine("m1");

    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }, 5s));
    EXPECT_EQ(world.cloud.created(), 1U);
  });
}

TEST(ProviderInitialize, TriesAgainUntilItSucceedsAndMakesNoSecondVm) {
  InfrastructureFixture world(
      with({{.verb = SimVerb::Initialize, .code = DriverCode::Unavailable, .times = 2},
            {.verb = SimVerb::Status, .code = DriverCode::Uninitialized, .times = 2}}));
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();

    world.management.add_machine("m1");

    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }, 60s));
    EXPECT_EQ(world.cloud.created(), 1U);
    EXPECT_EQ(world.cloud.hits(), (std::vector<std::uint64_t>{2, 2}));
  });
}

TEST(ProviderInitialize, IsDoneWhereTheDriverHasNothingToSetUp) {
  InfrastructureFixture world(with({{.verb = SimVerb::Initialize, .code = DriverCode::Unimplemented}}));
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();

    world.management.add_machine("m1");
    world.management.add_pool("p1", 2);

    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));
    EXPECT_TRUE(world.eventually([&] { return world.management.has("p1", 2); }));
  });
}

TEST(ProviderInitialize, IsNotNeededToRemoveAVm) {
  InfrastructureFixture world(
      with({{.verb = SimVerb::Initialize, .code = DriverCode::Internal, .message = "no second network"},
            {.verb = SimVerb::Status, .code = DriverCode::Uninitialized, .times = 2}}));
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    ASSERT_TRUE(world.eventually([&] { return world.management.ready_reason("m1") == "CloudUnreadable"; }));

    world.management.remove<api::DriverMachine>("m1");

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachine>("m1"); }, 10min));
    EXPECT_TRUE(world.cloud.vms().empty());
  });
}

// A cloud whose creations take two calls, the second of which goes on where the first one was.
class InTwoSteps : public Driver {
 public:
  explicit InTwoSteps(Driver& cloud) : cloud_(cloud) {}

  DriverResult<Vm> create(const CreateVm& wanted, const Credentials& credentials,
                          const Deadline& deadline) override {
    if (wanted.last_known_state != "disk made")
      return std::unexpected(DriverError{.code = DriverCode::Aborted, .last_known_state = "disk made"});
    return cloud_.create(wanted, credentials, deadline);
  }
  DriverResult<Vm> initialize(const InitializeVm& wanted, const Credentials& credentials,
                              const Deadline& deadline) override {
    return cloud_.initialize(wanted, credentials, deadline);
  }
  DriverResult<void> remove(const VmId& id, const Credentials& credentials,
                            const Deadline& deadline) override {
    return cloud_.remove(id, credentials, deadline);
  }
  DriverResult<Vm> status(const VmId& id, const Credentials& credentials, const Deadline& deadline) override {
    return cloud_.status(id, credentials, deadline);
  }
  DriverResult<std::vector<Vm>> list(const Tags& tags, const Credentials& credentials,
                                     const Deadline& deadline) override {
    return cloud_.list(tags, credentials, deadline);
  }
  DriverResult<void> tag(const VmId& id, const Tags& tags, const Credentials& credentials,
                         const Deadline& deadline) override {
    return cloud_.tag(id, tags, credentials, deadline);
  }
  DriverResult<std::vector<std::string>> volume_ids(std::span<const std::string> specs,
                                                    const Deadline& deadline) override {
    return cloud_.volume_ids(specs, deadline);
  }
  DriverResult<Identity> identity(const Credentials& credentials, const Deadline& deadline) override {
    return cloud_.identity(credentials, deadline);
  }

 protected:
  Driver& cloud_;
};

// One whose removals do.
class RemovesInTwoSteps final : public InTwoSteps {
 public:
  using InTwoSteps::InTwoSteps;

  DriverResult<Vm> create(const CreateVm& wanted, const Credentials& credentials,
                          const Deadline& deadline) override {
    return cloud_.create(wanted, credentials, deadline);
  }
  DriverResult<void> remove(const VmId& id, const Credentials& credentials,
                            const Deadline& deadline) override {
    if (id.last_known_state != "disk taken off")
      return std::unexpected(DriverError{.code = DriverCode::Aborted, .last_known_state = "disk taken off"});
    return cloud_.remove(id, credentials, deadline);
  }
};

// Refuses each creation, and no two answers are alike: clouds number their answers, and a driver says how far
// it is.
class NumbersItsAnswers final : public InTwoSteps {
 public:
  NumbersItsAnswers(Driver& cloud, DriverCode code) : InTwoSteps(cloud), code_(code) {}

  DriverResult<Vm> create(const CreateVm&, const Credentials&, const Deadline&) override {
    const std::string number = std::to_string(++creations);
    return std::unexpected(DriverError{
        .code = code_, .message = "request " + number, .last_known_state = "after request " + number});
  }

  std::atomic<int> creations = 0;

 private:
  const DriverCode code_;
};

std::vector<std::string> states_of_pool(InfrastructureFixture& world) {
  std::vector<std::string> states;
  const auto pool = world.management.get<api::DriverMachinePool>("p1");
  for (const auto& each : pool->status.last_known_states)
    states.push_back(each.instance_key.str() + " " + each.last_known_state.str());
  return states;
}

TEST(ProviderDrivers, GetTheirStateBackAndLoseItWhenTheVmIsThere) {
  InfrastructureFixture world;
  InTwoSteps slow(world.cloud);
  remote::Loopback wire(slow, world.baton);
  remote::RemoteDriver behind(wire, world.baton);
  world.drivers = Drivers(behind);
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    const auto state = [&] {
      return world.management.get<api::DriverMachine>("m1")->status.last_known_state.str();
    };

    world.management.add_machine("m1");

    EXPECT_TRUE(world.eventually([&] { return state() == "disk made"; }));
    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));
    EXPECT_EQ(state(), "");
  });
}

// Each answer was a write of the status, the write woke the object, and its turn asked again: many times a
// second where 10 minutes are promised.
TEST(ProviderDrivers, AreNotAskedSoonerForAMachineBecauseTheirAnswersDiffer) {
  for (const auto& [code, most] : {std::pair(DriverCode::ResourceExhausted, 4), {DriverCode::Aborted, 360}}) {
    InfrastructureFixture world;
    NumbersItsAnswers full(world.cloud, code);
    world.drivers = Drivers(full);
    world.run([&] {
      InfrastructureFixture::Process provider(world, world.management);
      world.bring_cluster_up();

      world.management.add_machine("m1");
      world.pause(29min);

      EXPECT_GE(full.creations, most - 20) << to_string(code);
      EXPECT_LE(full.creations, most) << to_string(code);
    });
  }
}

TEST(ProviderDrivers, MakeTheOthersOfAPoolWhereOneIsRefused) {
  InfrastructureFixture world(
      with({{.verb = SimVerb::Create, .code = DriverCode::InvalidArgument, .vms = "p1-0"}}));
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();

    world.management.add_pool("p1", 50);

    EXPECT_TRUE(world.eventually([&] { return world.cloud.vms().size() == 49; }, 3min));
  });
}

TEST(ProviderDrivers, AreNotAskedSoonerForAPoolBecauseTheirAnswersDiffer) {
  for (const auto& [code, most] : {std::pair(DriverCode::ResourceExhausted, 4), {DriverCode::Aborted, 360}}) {
    InfrastructureFixture world;
    NumbersItsAnswers full(world.cloud, code);
    world.drivers = Drivers(full);
    world.run([&] {
      InfrastructureFixture::Process provider(world, world.management);
      world.bring_cluster_up();

      world.management.add_pool("p1", 1);
      world.pause(29min);

      EXPECT_GE(full.creations, most - 20) << to_string(code);
      EXPECT_LE(full.creations, most) << to_string(code);
    });
  }
}

// A driver of creations in two steps began anew in every turn, and none of its VMs came.
TEST(ProviderDrivers, GetTheirStateBackForEachVmOfAPool) {
  InfrastructureFixture world;
  InTwoSteps slow(world.cloud);
  remote::Loopback wire(slow, world.baton);
  remote::RemoteDriver behind(wire, world.baton);
  world.drivers = Drivers(behind);
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();

    world.management.add_pool("p1", 3);

    EXPECT_TRUE(world.eventually([&] { return world.management.has("p1", 3); }));
    EXPECT_TRUE(world.eventually([&] { return states_of_pool(world).empty(); }));
  });
}

TEST(ProviderDrivers, FindTheirStateInTheStatusOfAPool) {
  InfrastructureFixture world;
  NumbersItsAnswers slow(world.cloud, DriverCode::Aborted);
  world.drivers = Drivers(slow);
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();

    world.management.add_pool("p1", 3);

    EXPECT_TRUE(world.eventually([&] { return states_of_pool(world).size() == 3; }));
    EXPECT_THAT(states_of_pool(world), Each(HasSubstr(" after request ")));
  });
}

TEST(ProviderDrivers, GetTheirStateBackForAVmOfAPoolThatGoes) {
  InfrastructureFixture world;
  RemovesInTwoSteps slow(world.cloud);
  world.drivers = Drivers(slow);
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("p1", 2);
    ASSERT_TRUE(world.eventually([&] { return world.management.has("p1", 2); }));

    world.management.resize("p1", 1);

    EXPECT_TRUE(world.eventually([&] { return states_of_pool(world).size() == 1; }));
    EXPECT_TRUE(world.eventually([&] { return world.management.has("p1", 1); }));
    EXPECT_TRUE(world.eventually([&] { return states_of_pool(world).empty(); }));
  });
}

api::DriverMachineSpec by(std::string_view driver) { return {.driver = Text(driver)}; }

TEST(ProviderDrivers, EachObjectGetsTheOneItNames) {
  InfrastructureFixture world;
  sim::SimCloud metal({.clock = world.baton, .threads = world.baton}, {.seed = 2});
  world.drivers = Drivers({{"cloud", &world.cloud}, {"metal", &metal}});
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();

    world.management.add_machine("m1", by("cloud"));
    world.management.add_machine("m2", by("metal"));
    world.management.add_pool("p1", 2, {.driver = "metal"_text});

    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));
    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m2"); }));
    EXPECT_TRUE(world.eventually([&] { return world.management.has("p1", 2); }));
    EXPECT_EQ(world.cloud.created(), 1U);
    EXPECT_EQ(metal.created(), 3U);
  });
}

TEST(ProviderDrivers, AnObjectThatNamesNoneOfThemSaysSoAndGoesWithoutAVm) {
  InfrastructureFixture world;
  world.drivers = Drivers({{"cloud", &world.cloud}, {"metal", &world.cloud}});
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();

    world.management.add_machine("m1", by("azure"));
    ASSERT_TRUE(world.eventually([&] { return world.management.ready_reason("m1") == "CreateFailed"; }));
    world.management.remove<api::DriverMachine>("m1");

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachine>("m1"); }));
    EXPECT_EQ(world.cloud.created(), 0U);
  });
}

TEST(ProviderDrivers, AnObjectWhoseDriverIsGoneKeepsItsFinalizerAndItsVm) {
  InfrastructureFixture world;
  world.drivers = Drivers({{"cloud", &world.cloud}, {"metal", &world.cloud}});
  world.run([&] {
    {
      InfrastructureFixture::Process provider(world, world.management);
      world.bring_cluster_up();
      world.management.add_machine("m1", by("metal"));
      ASSERT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));
    }
    world.drivers = Drivers({{"cloud", &world.cloud}});
    InfrastructureFixture::Process provider(world, world.management);

    world.management.remove<api::DriverMachine>("m1");
    world.pause(10min);

    EXPECT_TRUE(world.management.get<api::DriverMachine>("m1"));
    EXPECT_EQ(world.cloud.vms().size(), 1U);
  });
}

TEST(ProviderDrivers, AVmIsMissedThoughAnotherDriverHangs) {
  InfrastructureFixture world;
  sim::SimCloud hanging({.clock = world.baton, .threads = world.baton}, {.latency = {.list = 1h}});
  world.drivers = Drivers({{"cloud", &world.cloud}, {"a-hanging-one", &hanging}});
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1", by("cloud"));
    world.management.add_machine("m2", by("a-hanging-one"));
    ASSERT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));
    ASSERT_TRUE(world.eventually([&] { return world.management.provisioned("m2"); }));

    world.cloud.vanish("m1");

    EXPECT_TRUE(world.eventually([&] { return world.management.ready_reason("m1") == "VMGone"; }));
  });
}

}  // namespace
}  // namespace capstan::infrastructure
