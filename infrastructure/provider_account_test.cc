// The account that a VM is in, beside credentials that lead elsewhere.
#include <map>

#include "base/base64.h"
#include "base/safeguards.h"
#include "infrastructure/account_fixture.h"

namespace capstan::infrastructure {
namespace {

using namespace std::chrono_literals;
namespace annotation = api::driver::annotation;

// A cloud whose delete of a VM that it does not know succeeds.
class Forgiving final : public remote::Transport {
 public:
  explicit Forgiving(AccountFixture& world) : cloud_(world.cloud, world.baton) {}

  // From the next call of that verb on, credentials of "acme" lead to "other".
  void lead_elsewhere_at(std::string_view verb) { turning_point_ = verb; }
  void lead_back() {
    turning_point_ = {};
    elsewhere_ = false;
  }
  int deletes() const { return deletes_; }

  DriverResult<remote::Answer> post(std::string_view verb, const std::string& body,
                                    const Deadline& deadline) override {
    elsewhere_ = elsewhere_ || verb == turning_point_;
    const auto answer = cloud_.post(verb, elsewhere_ ? elsewhere(body) : body, deadline);
    if (verb != remote::verb::kDelete) return answer;
    ++deletes_;
    return remote::Answer{.body = "{}"};
  }

 private:
  static std::string elsewhere(std::string body) {
    const std::string acme = base64_encode("acme");
    const auto at = body.find(acme);
    return at == std::string::npos ? body : body.replace(at, acme.size(), base64_encode("other"));
  }

  remote::Loopback cloud_;
  std::string_view turning_point_ = {};
  bool elsewhere_ = false;
  int deletes_ = 0;
};

// A pool of two VMs without Machines, in a cluster that is up.
void add_group(AccountFixture& world) {
  api::DriverMachinePoolSpec spec;
  spec.credentials_ref = cloud_credentials();
  world.management.add_pool("mp1", 2, spec);
  EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));
}

void bring_group_up(AccountFixture& world) {
  world.bring_cluster_up();
  add_group(world);
}

std::string account_of_group(AccountFixture& world) {
  return world.management.get<api::DriverMachinePool>("mp1")->spec.account.str();
}

TEST(Account, IsWrittenDownWithTheKeyOfTheVm) {
  AccountFixture world;
  world.run([&] {
    world.lead_to("acme");
    AccountFixture::Process provider(world, world.management);
    world.bring_up({"m1"});

    EXPECT_EQ(world.management.get<api::DriverMachine>("m1")->spec.account, "acme/nowhere");
    EXPECT_EQ(world.writes_of(Call::Patch, "DriverMachine"), 3) << "it costs no write";
  });
}

TEST(Account, HasTheKeyOfTheClusterOnTheVmsOfMachinesAndOfPools) {
  AccountFixture world;
  world.run([&] {
    world.lead_to("acme");
    AccountFixture::Process provider(world, world.management);
    world.bring_up({"m1"});
    add_group(world);

    const std::string key = world.management.get<api::DriverCluster>("c1")->spec.cluster_key.str();
    ASSERT_NE(key, "");
    ASSERT_EQ(world.cloud.vms().size(), 3U);
    for (const Vm& vm : world.cloud.vms()) EXPECT_EQ(tag_of(vm, "capstan.dev/cluster-key"), key) << vm.name;
  });
}

// Incident: credentials swapped to another account. Every VM seems to be gone, and none is.
TEST(Account, CredentialsSwappedToAnotherAccountLoseNoVm) {
  AccountFixture world;
  world.run([&] {
    world.lead_to("acme");
    AccountFixture::Process provider(world, world.management);
    world.bring_up({"m1", "m2"});

    world.lead_to("other");
    EXPECT_TRUE(world.eventually([&] { return world.management.ready_reason("m1") == "WrongAccount"; }));
    world.management.remove<api::DriverMachine>("m2");
    world.pause(30min);
    EXPECT_EQ(world.management.ready_reason("m2"), "WrongAccount") << "nothing is released";
    EXPECT_EQ(world.cloud.created(), 2U);
    EXPECT_THAT(world.ready_message("m1"), HasSubstr("capstan.dev/abandon-vm=acme/nowhere"));

    world.lead_to("acme");
    EXPECT_TRUE(world.eventually([&] { return world.management.ready_reason("m1") == "Ready"; }, 15min));
    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachine>("m2"); }, 15min));
    EXPECT_EQ(world.vms_named("m1"), 1U);
    EXPECT_EQ(world.vms_named("m2"), 0U);
  });
}

// The VM of m1, which is in acme and on its way out.
void is_given_up_for_who_names_its_account(AccountFixture& world) {
  world.annotate("m1", annotation::kAbandonVm, "other/nowhere");
  world.pause(15min);
  EXPECT_TRUE(world.management.get<api::DriverMachine>("m1")) << "that is not where the VM is";
  world.annotate("m1", annotation::kAbandonVm, "acme/nowhere");

  EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachine>("m1"); }, 15min));
  EXPECT_EQ(world.vms_named("m1"), 1U) << "it runs on, as its user knows";
}

TEST(Account, GivesUpAVmOnlyForAPersonWhoNamesTheAccount) {
  AccountFixture world;
  world.run([&] {
    world.lead_to("acme");
    AccountFixture::Process provider(world, world.management);
    world.bring_up({"m1"});
    world.lead_to("other");
    world.management.remove<api::DriverMachine>("m1");

    is_given_up_for_who_names_its_account(world);
  });
}

// The Secret goes first with its namespace, and can't come back.
TEST(Account, GivesUpAVmWithoutCredentialsForAPersonWhoNamesTheAccount) {
  AccountFixture world;
  world.run([&] {
    world.lead_to("acme");
    AccountFixture::Process provider(world, world.management);
    world.bring_up({"m1"});
    world.lose_credentials();
    world.management.remove<api::DriverMachine>("m1");

    EXPECT_TRUE(
        world.eventually([&] { return world.management.ready_reason("m1") == "CredentialsUnreadable"; }));
    EXPECT_THAT(world.ready_message("m1"), HasSubstr("capstan.dev/abandon-vm: \"acme/nowhere\""));
    is_given_up_for_who_names_its_account(world);
  });
}

// The answer to the creation was lost, then the credentials changed: in the other account nothing is found.
TEST(Account, MakesNoSecondVmInAnotherAccount) {
  sim::Script script;
  script.faults = {{.verb = sim::SimVerb::Create, .code = DriverCode::Unknown, .times = 1, .happened = true}};
  AccountFixture world(script);
  world.run([&] {
    world.lead_to("acme");
    AccountFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    api::DriverMachineSpec spec;
    spec.credentials_ref = cloud_credentials();
    world.management.add_machine("m1", spec);
    ASSERT_TRUE(world.eventually([&] { return world.cloud.created() == 1; }));

    world.lead_to("other");
    EXPECT_TRUE(world.eventually([&] { return world.management.ready_reason("m1") == "WrongAccount"; }));
    EXPECT_EQ(world.cloud.created(), 1U);
    world.lead_to("acme");

    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }, 15min));
    EXPECT_EQ(world.cloud.created(), 1U);
  });
}

// An object from before there was spec.account.
TEST(Account, IsAdoptedAfterTheVmWasSeenOnce) {
  AccountFixture world;
  world.run([&] {
    world.lead_to("acme");
    {
      AccountFixture::Process provider(world, world.management);
      world.bring_up({"m1"});
    }
    world.management.change<api::DriverMachine>(
        "m1", [](api::DriverMachine& machine) { machine.spec.account = {}; });
    Credentials acme;
    acme.values.emplace("account", Secret<std::string>("acme"));
    const std::string vm = world.management.get<api::DriverMachine>("m1")->spec.provider_id.str();
    ASSERT_TRUE(
        world.cloud.tag({.provider_id = vm}, {{"capstan.dev/cluster-key", ""}}, acme, kNever).has_value());

    AccountFixture::Process provider(world, world.management);

    EXPECT_TRUE(world.eventually(
        [&] { return world.management.get<api::DriverMachine>("m1")->spec.account == "acme/nowhere"; }));
    EXPECT_EQ(world.cloud.vms().at(0).tags.at("capstan.dev/cluster-key"),
              world.management.get<api::DriverCluster>("c1")->spec.cluster_key.view());
  });
}

// A pool from before there was spec.account.
TEST(Account, OfAnOlderGroupIsAdoptedAfterItsVmsWereSeenOnce) {
  AccountFixture world;
  world.run([&] {
    world.lead_to("acme");
    {
      AccountFixture::Process provider(world, world.management);
      bring_group_up(world);
    }
    world.management.change<api::DriverMachinePool>(
        "mp1", [](api::DriverMachinePool& pool) { pool.spec.account = {}; });
    world.cloud.add_fault({.verb = sim::SimVerb::List, .code = DriverCode::Unavailable});
    AccountFixture::Process provider(world, world.management);
    world.pause(5min);
    EXPECT_EQ(account_of_group(world), "") << "no list has shown its VMs";

    world.cloud.end_faults();
    EXPECT_TRUE(world.eventually([&] { return account_of_group(world) == "acme/nowhere"; }));
    world.lead_to("other");
    EXPECT_TRUE(
        world.eventually([&] { return world.management.pool_ready("mp1").starts_with("WrongAccount"); }));
    EXPECT_EQ(world.cloud.created(), 2U);
  });
}

TEST(Account, OfADeletedMachineIsAskedForBeforeACloudWhoseDeletesAlwaysSucceed) {
  AccountFixture world;
  Forgiving cloud(world);
  remote::RemoteDriver driver(cloud, world.baton);
  world.drivers = Drivers(driver);
  world.run([&] {
    world.lead_to("acme");
    AccountFixture::Process provider(world, world.management);
    world.bring_up({"m1", "m2"});
    world.lead_to("other");
    world.management.remove<api::DriverMachine>("m1");
    world.management.remove<api::DriverMachine>("m2");

    world.pause(15min);
    EXPECT_EQ(world.management.ready_reason("m1"), "WrongAccount");
    EXPECT_TRUE(world.management.get<api::DriverMachine>("m2"));
    world.annotate("m2", annotation::kAbandonVm, "acme/nowhere");
    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachine>("m2"); }, 15min));
    EXPECT_EQ(cloud.deletes(), 0) << "in the wrong account";
    world.lead_to("acme");

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachine>("m1"); }, 15min));
    EXPECT_EQ(world.vms_named("m1"), 0U);
    EXPECT_EQ(world.vms_named("m2"), 1U) << "given up";
  });
}

TEST(Account, OfADeletedGroupIsAskedForBeforeACloudWhoseDeletesAlwaysSucceed) {
  AccountFixture world;
  Forgiving cloud(world);
  remote::RemoteDriver driver(cloud, world.baton);
  world.drivers = Drivers(driver);
  world.run([&] {
    world.lead_to("acme");
    AccountFixture::Process provider(world, world.management);
    bring_group_up(world);
    world.lead_to("other");
    // By the key of their group, as a second provider of the same cloud would have made it.
    Credentials other;
    other.values.emplace("account", Secret<std::string>("other"));
    const std::string group = world.management.get<api::DriverMachinePool>("mp1")->spec.group_key.str();
    ASSERT_TRUE(world.cloud
                    .create({.instance_key = "theirs",
                             .name = "theirs",
                             .tags = {{std::string(api::driver::tag::kGroup), group}}},
                            other, kNever)
                    .has_value());

    world.management.change<api::DriverMachinePool>("mp1", [](api::DriverMachinePool& pool) {
      pool.metadata.annotations.set(annotation::kAbandonVm, "acme/nowhere");
    });
    world.management.remove<api::DriverMachinePool>("mp1");

    EXPECT_TRUE(
        world.eventually([&] { return !world.management.get<api::DriverMachinePool>("mp1"); }, 15min));
    EXPECT_EQ(cloud.deletes(), 0) << "in the wrong account";
    EXPECT_EQ(world.cloud.vms().size(), 3U);
  });
}

TEST(Account, ThatIsAnotherFromTheDeleteOnReleasesNothing) {
  AccountFixture world;
  Forgiving cloud(world);
  remote::RemoteDriver driver(cloud, world.baton);
  world.drivers = Drivers(driver);
  world.run([&] {
    world.lead_to("acme");
    AccountFixture::Process provider(world, world.management);
    world.bring_up({"m1"});

    cloud.lead_elsewhere_at(remote::verb::kDelete);
    world.management.remove<api::DriverMachine>("m1");
    world.pause(15min);
    EXPECT_EQ(world.management.ready_reason("m1"), "WrongAccount");
    EXPECT_EQ(world.vms_named("m1"), 1U);
    cloud.lead_back();

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachine>("m1"); }, 15min));
    EXPECT_EQ(world.vms_named("m1"), 0U);
  });
}

TEST(Account, OfAGroupThatIsAnotherFromTheListOnMakesNoneAnew) {
  AccountFixture world;
  Forgiving cloud(world);
  remote::RemoteDriver driver(cloud, world.baton);
  world.drivers = Drivers(driver);
  world.run([&] {
    world.lead_to("acme");
    AccountFixture::Process provider(world, world.management);
    bring_group_up(world);

    cloud.lead_elsewhere_at(remote::verb::kList);
    world.management.resize("mp1", 3);
    EXPECT_TRUE(
        world.eventually([&] { return world.management.pool_ready("mp1").starts_with("WrongAccount"); }));
    world.pause(15min);
    EXPECT_EQ(world.cloud.created(), 2U) << "none is made in its stead elsewhere";
    cloud.lead_back();

    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 3); }, 15min));
    EXPECT_EQ(world.cloud.created(), 3U);
  });
}

// Bad input: an account that answers another identity every time.
TEST(Account, ThatAnswersAnotherIdentityEveryTimeReleasesNothing) {
  AccountFixture world;
  world.run([&] {
    world.lead_to("acme");
    AccountFixture::Process provider(world, world.management);
    world.bring_up({"m1"});

    world.cloud.add_fault({.account = "other-#"});
    world.management.remove<api::DriverMachine>("m1");
    world.pause(5min);
    const auto writes = world.writes;
    world.pause(30min);
    EXPECT_EQ(world.management.ready_reason("m1"), "WrongAccount");
    EXPECT_EQ(world.writes, writes) << "the same news is no news";
    world.cloud.end_faults();

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachine>("m1"); }, 15min));
    EXPECT_EQ(world.vms_named("m1"), 0U);
  });
}

TEST(Account, OfAGroupIsKeptLikeThatOfAMachine) {
  AccountFixture world;
  world.run([&] {
    world.lead_to("acme");
    AccountFixture::Process provider(world, world.management);
    bring_group_up(world);

    world.lead_to("other");
    world.management.resize("mp1", 3);
    EXPECT_TRUE(
        world.eventually([&] { return world.management.pool_ready("mp1").starts_with("WrongAccount"); }));
    world.management.remove<api::DriverMachinePool>("mp1");
    world.pause(30min);
    EXPECT_TRUE(world.management.has("mp1", 2));
    EXPECT_EQ(world.cloud.created(), 2U) << "none is made in its stead elsewhere";
    world.lead_to("acme");

    EXPECT_TRUE(
        world.eventually([&] { return !world.management.get<api::DriverMachinePool>("mp1"); }, 15min));
    EXPECT_TRUE(world.cloud.vms().empty());
  });
}

// Incident: a crash at every write around the creation of a VM, with a list of the cloud that is 60 s late.
TEST(Account, CrashAtEveryWriteAroundTheCreationOfAVmWithALateListMakesOneVm) {
  sim::Script script;
  script.list_lag = 60s;
  for (int write = 1; write <= 3; ++write) {
    for (const Fault crash : {Fault::CrashBefore, Fault::CrashAfter}) {
      AccountFixture world(script);
      int seen = 0;
      world.fault = [&](const FaultPoint& point) {
        if (point.kind != "DriverMachine" || !fakes::is_write(point.call)) return Fault::None;
        return ++seen == write ? crash : Fault::None;
      };
      world.run([&] {
        world.lead_to("acme");
        AccountFixture::Process provider(world, world.management);
        world.bring_up({"m1"});
        world.pause(2min);

        EXPECT_EQ(world.cloud.created(), 1U) << "write " << write << " " << to_string(crash);
        EXPECT_GE(seen, write);
        EXPECT_EQ(world.management.get<api::DriverMachine>("m1")->spec.account, "acme/nowhere");
      });
    }
  }
}

#ifdef CAPSTAN_DEFECTS
TEST(Account, WithoutItsSafeguardAVmIsLeftBehind) {
  AccountFixture world;
  world.run([&] {
    world.lead_to("acme");
    AccountFixture::Process provider(world, world.management);
    world.bring_up({"m1"});

    switch_off(Safeguard::Account);
    world.lead_to("other");
    world.management.remove<api::DriverMachine>("m1");
    const bool released = world.eventually([&] { return !world.management.get<api::DriverMachine>("m1"); });
    switch_off(std::nullopt);

    EXPECT_TRUE(released);
    EXPECT_EQ(world.vms_named("m1"), 1U);
  });
}
#endif

}  // namespace
}  // namespace capstan::infrastructure
