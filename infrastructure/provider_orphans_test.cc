// VMs that are no object's, from the first list that shows them to their end, and all that keeps them.
#include <algorithm>
#include <map>

#include "api/conditions/conditions.h"
#include "api/policy/fleet_policy.h"
#include "base/base64.h"
#include "base/safeguards.h"
#include "infrastructure/account_fixture.h"
#include "test/builders/machine.h"

namespace capstan::infrastructure {
namespace {

using namespace std::chrono_literals;
namespace tag = api::driver::tag;

constexpr Nanoseconds kPeriod = 15min;

Credentials acme() {
  Credentials credentials;
  credentials.values.emplace("account", Secret<std::string>("acme"));
  return credentials;
}

api::MachinePool a_machine_pool(std::string_view name) {
  api::MachinePool pool;
  pool.metadata.name = Text(name);
  pool.metadata.namespace_ = "default"_text;
  pool.spec.cluster_name = "c1"_text;
  auto& machine = pool.spec.machine_template.spec;
  machine.cluster_name = "c1"_text;
  machine.bootstrap.data_secret_name = Text(name);
  machine.infrastructure_ref = {
      .api_group = Text(api::group::kInfrastructure), .kind = "DriverMachinePool"_text, .name = Text(name)};
  return pool;
}

// It leads to the account of that Secret.
api::DriverMachineTemplate a_template(std::string_view name, std::string_view secret = "cloud") {
  api::DriverMachineTemplate machines;
  machines.metadata.name = Text(name);
  machines.metadata.namespace_ = "default"_text;
  machines.spec.template_.spec.credentials_ref = cloud_credentials(secret);
  return machines;
}

// The way to a cloud: how often it was asked for its list of the account "acme".
class CountedLists final : public remote::Transport {
 public:
  explicit CountedLists(AccountFixture& world) : cloud_(world.cloud, world.baton) {}

  DriverResult<remote::Answer> post(std::string_view verb, const std::string& body,
                                    const Deadline& deadline) override {
    if (verb == remote::verb::kList && body.contains(base64_encode("acme"))) ++count_;
    return cloud_.post(verb, body, deadline);
  }
  int count() const { return count_; }

 private:
  remote::Loopback cloud_;
  int count_ = 0;
};

// What a copy of an etcd holds of a fleet.
struct EtcdCopy {
  api::DriverCluster cluster = {};
  std::map<std::string, api::DriverMachine> machines = {};
};

EtcdCopy copy_of(Management& on, const std::vector<std::string>& machines) {
  EtcdCopy copy{.cluster = *on.get<api::DriverCluster>("c1")};
  for (const std::string& name : machines) copy.machines[name] = *on.get<api::DriverMachine>(name);
  return copy;
}

// m3 and m7 have no account, m4 was about to get its VM, m6 has not even a key.
void date_back(EtcdCopy& copy) {
  for (const auto* name : {"m3", "m7"}) copy.machines.at(name).spec.account = {};
  for (const auto* name : {"m4", "m6"}) {
    copy.machines.at(name).spec.provider_id = {};
    copy.machines.at(name).status = {};
  }
  api::DriverMachine& without_key = copy.machines.at("m6");
  without_key.metadata.finalizers = {};
  without_key.spec.instance_key = {};
  without_key.spec.account = {};
}

// All of an object that its creation did not take.
template <typename T>
void complete(Management& on, const T& copy) {
  const std::string name = copy.metadata.name.str();
  on.change<T>(name, [&](T& object) {
    object.metadata.finalizers = copy.metadata.finalizers;
    object.metadata.annotations = copy.metadata.annotations;
    object.spec = copy.spec;
  });
  on.change_status<T>(name, [&](T& object) { object.status = copy.status; });
}

void restore(Management& on, const EtcdCopy& copy) {
  on.install();
  AccountFixture::lead_to(on, "acme");
  on.add_cluster();
  complete(on, copy.cluster);
  on.provision_cluster();
  for (const auto& [name, machine] : copy.machines) {
    on.add_machine(name, machine.spec);
    complete(on, machine);
  }
}

// A provider that may delete; m1 stays, the objects of the others are lost after they were brought up.
struct OrphanFixture : AccountFixture {
  explicit OrphanFixture(sim::Script with = {}) : AccountFixture(std::move(with)) {
    orphans.action = OrphanAction::Delete;
  }
  void lose(const std::vector<std::string>& machines) {
    std::vector<std::string> all = machines;
    all.insert(all.begin(), "m1");
    lead_to("acme");
    bring_up(all);
    for (const std::string& name : machines) lose_object_of(name);
  }
  // The FleetPolicy on the server, in place of the one there was.
  void set_policy(std::string_view action, bool frozen, std::optional<std::int32_t> period = {}) {
    api::FleetPolicy policy;
    policy.metadata.name = Text(api::policy::kFleetPolicyName);
    policy.spec.orphans = api::FleetOrphans{.action = Text(action), .period_seconds = period};
    if (frozen) policy.metadata.annotations.set(api::policy::annotation::kFreeze, "an incident");
    (void)kube::remove<api::FleetPolicy>(management.user, {.name = policy.metadata.name.str()}, {}, kNever);
    management.put(policy);
  }
  void periods(int count) { pause(kPeriod * count + 10s); }
  bool goes(const std::string& vm, int within = 6) {
    return eventually([&] { return vms_named(vm) == 0; }, kPeriod * within);
  }
  // Machines of today, of which m2 and m7 go before it ends, and a copy of yesterday, which lacks m5.
  EtcdCopy yesterday_of_a_fleet() {
    AccountFixture::Process provider(*this, management);
    lead_to("acme");
    bring_up({"m1", "m2", "m3", "m4", "m5", "m6", "m7"});
    EtcdCopy copy = copy_of(management, {"m1", "m2", "m3", "m4", "m6", "m7"});
    date_back(copy);
    for (const auto* name : {"m2", "m7"}) {
      management.remove<api::DriverMachine>(name);
      EXPECT_TRUE(eventually([&] { return vms_named(name) == 0; }));
    }
    return copy;
  }
  // The VM that the object names is there, with the key of the object.
  bool has_its_vm(Management& on, const std::string& machine) {
    const auto object = on.get<api::DriverMachine>(machine);
    return object && std::ranges::any_of(cloud.vms(), [&](const Vm& vm) {
             return vm.provider_id == object->spec.provider_id.view() &&
                    tag_of(vm, tag::kInstanceKey) == object->spec.instance_key.view();
           });
  }
  // What the pool's own turns make of it: the VM that it named before there was a second one.
  std::string bring_up_two_vms_of_a_place() {
    lead_to("acme");
    bring_cluster_up();
    api::DriverMachinePoolSpec spec;
    spec.credentials_ref = cloud_credentials();
    management.add_pool("mp1", 1, spec);
    EXPECT_TRUE(eventually([&] { return management.has("mp1", 1); }));
    const std::string first = cloud.vms().front().provider_id;
    EXPECT_EQ(cloud.duplicate("mp1-0"), 1U);
    return first;
  }
  bool pool_names_only(const std::string& vm) {
    const auto pool = management.get<api::DriverMachinePool>("mp1");
    return pool && pool->spec.provider_id_list.size() == 1 && pool->spec.provider_id_list.front() == vm;
  }
  void change_tags(const std::string& name, const Tags& tags) {
    for (const Vm& vm : cloud.vms()) {
      if (vm.name != name) continue;
      EXPECT_TRUE(cloud.tag({.provider_id = vm.provider_id}, tags, acme(), kNever));
    }
  }
};

TEST(Orphans, AreReportedAndKeptWhereNothingElseIsSaid) {
  OrphanFixture world;
  world.orphans = {};
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});

    world.periods(5);

    EXPECT_EQ(world.vms_named("m2"), 1U);
    EXPECT_THAT(world.told_of("m2"), HasSubstr("only reported"));
    EXPECT_EQ(world.told_of("m1"), "");
    const auto cluster = world.management.get<api::DriverCluster>("c1");
    EXPECT_TRUE(cluster->status.orphans.front().since.is_set());
    EXPECT_EQ(cluster->status.orphans.front().account, "acme/nowhere");
  });
}

TEST(Orphans, GoAfterTwoCompleteListsOneAtATime) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2", "m3"});

    world.periods(1);
    EXPECT_EQ(world.cloud.vms().size(), 3U) << "the first list marks";
    EXPECT_THAT(world.told_of("m2"), HasSubstr("until another complete list"));
    world.periods(1);
    EXPECT_EQ(world.cloud.vms().size(), 2U) << "the next one confirms, and one goes";
    world.periods(1);

    EXPECT_EQ(world.cloud.vms().size(), 1U);
    EXPECT_EQ(world.vms_named("m1"), 1U);
    EXPECT_TRUE(world.eventually(
        [&] { return world.management.get<api::DriverCluster>("c1")->status.orphans.empty(); }));
  });
}

TEST(Orphans, TakeTheirLocalDisksWithThemAndLeavePersistentOnes) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lead_to("acme");
    world.bring_up({"m1"});
    api::DriverMachineSpec spec;
    spec.credentials_ref = cloud_credentials();
    spec.provider_spec = api::RawJson(
        json::parse(R"({"disks": [{"name": "data", "persistent": true}, {"name": "scratch"}]})"));
    world.management.add_machine("m2", spec);
    ASSERT_TRUE(world.eventually([&] { return world.management.provisioned("m2"); }));
    world.lose_object_of("m2");

    EXPECT_TRUE(world.goes("m2"));
    ASSERT_EQ(world.cloud.disks().size(), 1U);
    EXPECT_EQ(world.cloud.disks().begin()->second.attached_to, "");
  });
}

TEST(Orphans, StayWhileTheirClusterIsPausedOrFrozen) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});
    world.management.change<api::Cluster>("c1", [](api::Cluster& cluster) { cluster.spec.paused = true; });
    world.periods(5);
    EXPECT_EQ(world.vms_named("m2"), 1U) << "paused";

    world.management.change<api::Cluster>("c1", [](api::Cluster& cluster) {
      cluster.spec.paused = false;
      cluster.metadata.annotations.set("capstan.dev/freeze", "an incident");
    });
    world.periods(5);
    EXPECT_EQ(world.vms_named("m2"), 1U) << "frozen";
    EXPECT_THAT(world.told_of("m2"), HasSubstr("frozen"));
    world.management.change<api::Cluster>(
        "c1", [](api::Cluster& cluster) { cluster.metadata.annotations.erase("capstan.dev/freeze"); });

    EXPECT_TRUE(world.goes("m2"));
  });
}

TEST(Orphans, StayWhileTheApiServerOfTheirClusterIsOutOfReach) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});
    world.management.probe_cluster(api::status::kFalse);
    world.periods(5);
    EXPECT_EQ(world.vms_named("m2"), 1U);
    EXPECT_THAT(world.told_of("m2"), HasSubstr("out of reach"));

    world.management.probe_cluster(api::status::kTrue);

    EXPECT_TRUE(world.goes("m2"));
  });
}

// The core leaves the probe True for a while, see --remote-connection-grace-period.
TEST(Orphans, GoWhileTheCoreForgivesOneFailedProbe) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});
    world.management.probe_cluster(api::status::kTrue);

    EXPECT_TRUE(world.goes("m2"));
  });
}

// The management API, or a part of it, is away from the second complete list on.
TEST(Orphans, StayWhileLiveReadsAreNotAnswered) {
  for (const std::string_view kind :
       {"Cluster", "DriverCluster", "DriverMachine", "Machine", "FleetPolicy"}) {
    OrphanFixture world;
    world.settings_on_server = true;
    bool away = false;
    world.fault = [&](const FaultPoint& point) {
      return away && point.call == Call::Read && point.kind == kind ? Fault::Unavailable : Fault::None;
    };
    world.run([&] {
      world.set_policy("Delete", false);
      AccountFixture::Process provider(world, world.management);
      world.lose({"m2"});
      world.periods(1);
      away = true;

      world.periods(3);

      EXPECT_EQ(world.vms_named("m2"), 1U) << kind;
      EXPECT_THAT(world.told_of("m2"), HasSubstr("can't be read")) << kind;
      away = false;
      EXPECT_TRUE(world.goes("m2")) << kind;
    });
  }
}

TEST(Orphans, StayWhileTheCloudDoesNotSayHowTheyAre) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});
    world.cloud.add_fault({.verb = sim::SimVerb::Status, .code = DriverCode::Unavailable, .vms = "m2"});

    world.periods(4);

    EXPECT_EQ(world.vms_named("m2"), 1U);
    EXPECT_THAT(world.told_of("m2"), HasSubstr("kept: the cloud does not say how it is"));
    world.cloud.end_faults();
    EXPECT_TRUE(world.goes("m2"));
  });
}

// They are changed between the list that confirms the VM and its deletion.
TEST(Orphans, StayOnceALiveLookFindsOtherTags) {
  for (const auto& [name, value] :
       {std::pair(tag::kClusterKey, "another"), std::pair(tag::kInstanceKey, "another"),
        std::pair(tag::kOrphanSince, "")}) {
    OrphanFixture world;
    const Tags others = {{std::string(name), value}};
    bool changed = false;
    world.fault = [&](const FaultPoint& point) {
      if (point.call == Call::Read && point.kind == "Cluster" && !std::exchange(changed, true))
        world.change_tags("m2", others);
      return Fault::None;
    };
    world.run([&] {
      AccountFixture::Process provider(world, world.management);
      world.lose({"m2"});

      EXPECT_TRUE(world.eventually([&] { return changed; }, kPeriod * 3));
      world.pause(1min);

      EXPECT_EQ(world.vms_named("m2"), 1U);
      EXPECT_THAT(world.told_of("m2"), HasSubstr("kept: its tags are others by now"));
    });
  }
}

TEST(Orphans, AreLookedForAsOftenAsTheFleetPolicySays) {
  OrphanFixture world;
  world.settings_on_server = true;
  world.run([&] {
    world.set_policy("Delete", false, 300);
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});

    EXPECT_TRUE(world.eventually([&] { return !world.told_of("m2").empty(); }, 6min));
    world.pause(4min);
    EXPECT_EQ(world.vms_named("m2"), 1U) << "marked, and not listed again yet";
    EXPECT_TRUE(world.eventually([&] { return world.vms_named("m2") == 0; }, 90s));
  });
}

TEST(Orphans, OfAnAccountThatTwoSecretsLeadToAreListedOnce) {
  OrphanFixture world;
  world.orphans = {};
  CountedLists lists(world);
  remote::RemoteDriver driver(lists, world.baton);
  world.drivers = Drivers(driver);
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lead_to("acme");
    world.lead_to("acme", "cloud-too");
    world.bring_up({"m2"});
    world.lose_object_of("m2");
    world.management.put(a_template("workers"));
    world.management.put(a_template("more-workers", "cloud-too"));
    ASSERT_TRUE(world.eventually([&] { return !world.told_of("m2").empty(); }, kPeriod * 2));
    const int before = lists.count();

    world.periods(3);

    EXPECT_EQ(lists.count() - before, 3);
    EXPECT_EQ(world.management.get<api::DriverCluster>("c1")->status.orphans.size(), 1U);
  });
}

TEST(Orphans, AreFoundInTheAccountThatAPoolAloneLeadsTo) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lead_to("acme");
    world.bring_up({"m2"});
    world.lose_object_of("m2");
    world.periods(3);
    ASSERT_EQ(world.told_of("m2"), "") << "no object leads to its account";

    api::DriverMachinePoolSpec spec;
    spec.credentials_ref = cloud_credentials();
    world.management.add_pool("mp1", 0, spec);
    world.periods(1);

    EXPECT_NE(world.told_of("m2"), "");
    EXPECT_TRUE(world.goes("m2"));
  });
}

TEST(Orphans, AreFoundInTheAccountThatATemplateAloneLeadsTo) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lead_to("acme");
    world.bring_up({"m2"});
    world.lose_object_of("m2");
    world.periods(3);
    ASSERT_EQ(world.told_of("m2"), "") << "no object leads to its account";

    world.management.put(a_template("workers"));
    world.periods(1);

    EXPECT_NE(world.told_of("m2"), "");
    EXPECT_TRUE(world.goes("m2"));
  });
}

TEST(Orphans, StayWhileAMachineOfTheirNameIsThere) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});
    world.management.put(api::Machine(builders::a_machine("m2")));

    world.periods(5);

    EXPECT_EQ(world.vms_named("m2"), 1U) << "its DriverMachine may be on its way";
    world.management.remove<api::Machine>("m2");
    EXPECT_TRUE(world.goes("m2"));
  });
}

// Incident: the collector is restarted, and the cloud's list is empty or partial.
TEST(Orphans, CollectorRestartedWithAnEmptyOrPartialListDeletesNothingInItsFirstPeriod) {
  for (const std::int32_t missing : {100, 50}) {
    OrphanFixture world;
    world.run([&] {
      {
        AccountFixture::Process provider(world, world.management);
        world.lose({"m2", "m3"});
        world.periods(1);
      }
      world.cloud.add_fault({.verb = sim::SimVerb::List, .missing_percent = missing, .lasts = kPeriod * 3});
      AccountFixture::Process provider(world, world.management);

      world.periods(1);
      EXPECT_EQ(world.cloud.vms().size(), 3U) << "marked by the process before, and not confirmed yet";
      world.periods(10);
      EXPECT_EQ(world.cloud.vms().size(), 1U);
      EXPECT_EQ(world.vms_named("m1"), 1U);
    });
  }
}

// Incident: the cloud's list is throttled, empty or in error.
TEST(Orphans, CloudListThrottledEmptyOrInErrorConfirmsNothing) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});
    world.periods(1);

    for (const DriverCode code : {DriverCode::ResourceExhausted, DriverCode::Unavailable}) {
      world.cloud.add_fault({.verb = sim::SimVerb::List, .code = code});
      world.periods(3);
      EXPECT_EQ(world.vms_named("m2"), 1U) << to_string(code);
      world.cloud.end_faults();
    }
    world.cloud.add_fault({.verb = sim::SimVerb::List, .missing_percent = 100});
    world.periods(3);
    EXPECT_EQ(world.vms_named("m2"), 1U) << "empty";
    world.cloud.end_faults();

    EXPECT_TRUE(world.goes("m2"));
    EXPECT_EQ(world.vms_named("m1"), 1U);
  });
}

TEST(Orphans, AreSuspectedAnewAfterTheIdentityOfTheAccountChanged) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});
    world.periods(1);
    world.lead_to("other");
    world.periods(1);
    world.lead_to("acme");

    world.periods(1);
    EXPECT_EQ(world.vms_named("m2"), 1U) << "the first list of the account since then";
    EXPECT_TRUE(world.goes("m2"));
  });
}

// Bad input: an account that answers another identity every time.
TEST(Orphans, OfAnAccountThatAnswersAnotherIdentityEveryTimeStay) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});
    world.periods(1);
    world.cloud.add_fault({.account = "other-#"});

    world.periods(5);

    EXPECT_EQ(world.cloud.vms().size(), 2U);
  });
}

// Incident: two management clusters on one account, with the same names in both.
TEST(Orphans, TwoManagementClustersOnOneAccountNeverSeeEachOthersVms) {
  OrphanFixture world;
  world.run([&] {
    Management other(world.baton, 77);
    other.install();
    other.add_cluster();
    other.change<api::DriverCluster>(
        "c1", [](api::DriverCluster& cluster) { cluster.spec.credentials_ref = cloud_credentials(); });
    AccountFixture::lead_to(other, "acme");
    AccountFixture::Process ours(world, world.management);
    AccountFixture::Process theirs(world, other, "their provider");
    world.lead_to("acme");
    world.bring_up({"m1", "m2"});

    world.periods(6);

    EXPECT_EQ(world.cloud.vms().size(), 2U);
    EXPECT_TRUE(other.get<api::DriverCluster>("c1")->status.orphans.empty());
    EXPECT_FALSE(other.get<api::DriverCluster>("c1")->spec.cluster_key.empty());
    EXPECT_NE(other.get<api::DriverCluster>("c1")->spec.cluster_key,
              world.management.get<api::DriverCluster>("c1")->spec.cluster_key);
  });
}

// Incident: the whole fleet is moved while the collector is on, as clusterctl move does it: everything is
// paused, made there, and deleted here, the Machines first.
TEST(Orphans, TheWholeFleetMovedWhileTheCollectorIsOnLosesNoVm) {
  OrphanFixture world;
  world.run([&] {
    Management target(world.baton, 77);
    target.install();
    AccountFixture::lead_to(target, "acme");
    AccountFixture::Process source(world, world.management);
    AccountFixture::Process there(world, target, "provider there");
    world.lead_to("acme");
    world.bring_up({"m1", "m2"});
    const api::DriverCluster cluster = *world.management.get<api::DriverCluster>("c1");
    world.management.change<api::Cluster>("c1", [](api::Cluster& each) { each.spec.paused = true; });
    world.periods(1);

    target.add_cluster();
    target.change<api::Cluster>("c1", [](api::Cluster& each) { each.spec.paused = true; });
    target.change<api::DriverCluster>("c1", [&](api::DriverCluster& each) {
      each.spec = cluster.spec;
      each.spec.credentials_ref = cloud_credentials();
    });
    world.periods(3);  // a move takes its time, and the cluster is there before its Machines
    for (const auto* name : {"m1", "m2"})
      target.add_machine(name, world.management.get<api::DriverMachine>(name)->spec);
    for (const auto* name : {"m1", "m2"}) world.lose_object_of(name);
    target.provision_cluster();
    target.change<api::Cluster>("c1", [](api::Cluster& each) { each.spec.paused = false; });
    world.periods(6);

    EXPECT_EQ(world.cloud.vms().size(), 2U);
    EXPECT_EQ(world.cloud.created(), 2U);
    EXPECT_TRUE(target.provisioned("m1") && target.provisioned("m2"));
  });
}

// Incident: an etcd is restored from yesterday. VMs made since then have no object.
TEST(Orphans, AnEtcdRestoredFromYesterdayLosesVmsOneByOneAndTellsOfThemFirst) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2", "m3", "m4"});

    world.periods(1);
    EXPECT_EQ(world.cloud.vms().size(), 4U);
    EXPECT_EQ(world.management.get<api::DriverCluster>("c1")->status.orphans.size(), 3U);
    world.periods(2);

    EXPECT_EQ(world.cloud.vms().size(), 2U) << "one a period: there is time to freeze";
  });
}

// The other half of it: DriverMachines of yesterday whose VMs are gone, and some that have no account or no
// key; in the second run the DriverCluster has no key either.
TEST(Orphans, AnEtcdRestoredFromYesterdayReportsVmsThatAreGoneAndLosesNoneThatAnObjectHas) {
  for (const bool has_key : {true, false}) {
    OrphanFixture world;
    world.run([&] {
      EtcdCopy yesterday = world.yesterday_of_a_fleet();
      if (!has_key) yesterday.cluster.spec.cluster_key = {};
      Management restored(world.baton, 77);
      restore(restored, yesterday);
      AccountFixture::Process provider(world, restored);

      world.periods(1);
      for (const auto* name : {"m2", "m7"}) EXPECT_EQ(restored.ready_reason(name), "VMGone") << name;
      EXPECT_EQ(restored.get<api::DriverCluster>("c1")->status.orphans.size(), has_key ? 1U : 0U);
      EXPECT_EQ(world.vms_named("m5"), 1U) << "made since then, and reported before it goes";
      world.periods(5);

      EXPECT_EQ(world.vms_named("m5"), has_key ? 0U : 1U) << "without the key it is a stranger's";
      for (const auto* name : {"m1", "m3", "m4", "m6"}) EXPECT_TRUE(world.has_its_vm(restored, name)) << name;
      EXPECT_EQ(world.cloud.created(), 8U) << "m6 alone gets another VM";
      EXPECT_EQ(world.vms_named("m6"), 2U) << "the one that has its name is kept";
    });
  }
}

TEST(Orphans, AnEtcdRestoredFromYesterdayKeepsItsKeysAndAccounts) {
  OrphanFixture world;
  world.run([&] {
    const EtcdCopy yesterday = world.yesterday_of_a_fleet();
    Management restored(world.baton, 77);
    restore(restored, yesterday);
    AccountFixture::Process provider(world, restored);

    world.periods(3);

    EXPECT_EQ(restored.get<api::DriverCluster>("c1")->spec.cluster_key, yesterday.cluster.spec.cluster_key);
    for (const auto* name : {"m1", "m2", "m3", "m4"}) {
      const auto& before = yesterday.machines.at(name).spec;
      EXPECT_EQ(restored.get<api::DriverMachine>(name)->spec.instance_key, before.instance_key) << name;
      EXPECT_EQ(restored.get<api::DriverMachine>(name)->spec.account, "acme/nowhere") << name;
    }
    EXPECT_EQ(restored.get<api::DriverMachine>("m7")->spec.account, "") << "its VM is gone";
  });
}

// A cloud that lost a request and found it again.
TEST(Orphans, OfTwoVmsOfAKeyTheOneThatNoObjectNamesGoes) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lead_to("acme");
    world.bring_up({"m1"});
    const std::string first = world.management.get<api::DriverMachine>("m1")->spec.provider_id.str();
    world.cloud.duplicate("m1");
    EXPECT_EQ(world.vms_named("m1"), 2U);

    EXPECT_TRUE(world.eventually([&] { return world.vms_named("m1") == 1; }, kPeriod * 4));
    EXPECT_EQ(world.cloud.vms().front().provider_id, first);
  });
}

TEST(Orphans, OfTwoVmsOfAKeyBothStayWhileTheNamedOneDoesNotRun) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lead_to("acme");
    world.bring_up({"m1"});
    world.cloud.stop("m1");
    world.cloud.duplicate("m1");

    world.periods(5);

    EXPECT_EQ(world.vms_named("m1"), 2U);
    EXPECT_THAT(world.told_of("m1"),
                HasSubstr("a second VM of the key of DriverMachine default/m1; kept: the "
                          "other VM of its key does not run"));
  });
}

// A pool has its places named, and one VM of each.
TEST(Orphans, OfTwoVmsOfAPlaceOfAPoolTheOneThatItDoesNotNameGoes) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    const std::string first = world.bring_up_two_vms_of_a_place();

    world.periods(1);
    EXPECT_THAT(world.told_of("mp1-0"), HasSubstr("a second VM of the key of DriverMachinePool default/mp1"));
    EXPECT_TRUE(world.pool_names_only(first));
    EXPECT_EQ(world.vms_named("mp1-0"), 2U) << "the first list marks";

    EXPECT_TRUE(world.eventually([&] { return world.vms_named("mp1-0") == 1; }, kPeriod * 4));
    EXPECT_EQ(world.cloud.vms().front().provider_id, first);
    EXPECT_EQ(world.cloud.created(), 1U) << "its place was not empty";
  });
}

TEST(Orphans, OfTwoVmsOfAPlaceOfAPoolBothStayOnceThePoolNamesTheOther) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.bring_up_two_vms_of_a_place();
    world.periods(1);
    ASSERT_NE(world.told_of("mp1-0"), "");
    world.management.change<api::DriverMachinePool>("mp1", [](api::DriverMachinePool& pool) {
      pool.metadata.annotations.set(api::annotation::kPaused, "");
      pool.spec.provider_id_list = {Text("sim:///another")};
    });

    world.periods(4);

    EXPECT_EQ(world.vms_named("mp1-0"), 2U);
  });
}

// The VM that its DriverMachine names is not the other one of the key: spec.providerID was edited.
TEST(Orphans, OfTwoVmsOfAKeyBothStayWhileTheNamedOneLacksTheKeyOfTheCluster) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lead_to("acme");
    world.bring_up({"m1"});
    const std::string first = world.management.get<api::DriverMachine>("m1")->spec.provider_id.str();
    world.cloud.duplicate("m1");
    ASSERT_TRUE(world.cloud.tag({.provider_id = first}, {{"capstan.dev/cluster-key", ""}}, acme(), kNever)
                    .has_value());

    world.periods(5);

    EXPECT_EQ(world.vms_named("m1"), 2U);
    EXPECT_THAT(world.told_of("m1"), HasSubstr("kept: the other VM does not carry its keys"));
  });
}

TEST(Orphans, GoBeforeTheyAreSetUp) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});
    world.cloud.add_fault({.verb = sim::SimVerb::Status, .code = DriverCode::Uninitialized, .vms = "m2"});

    EXPECT_TRUE(world.goes("m2"));
    EXPECT_EQ(world.vms_named("m1"), 1U);
  });
}

// The FleetPolicy is changed while the cloud takes its time for the list.
TEST(Orphans, AreKeptOnceTheFleetPolicySaysSoThoughThePeriodBeganBefore) {
  for (const bool freeze : {false, true}) {
    OrphanFixture world({.latency = {.list = 2min}});
    world.settings_on_server = true;
    world.run([&] {
      world.set_policy("Delete", false);
      AccountFixture::Process provider(world, world.management);
      world.lose({"m2"});
      ASSERT_TRUE(world.eventually([&] { return !world.told_of("m2").empty(); }, kPeriod * 2));
      world.pause(kPeriod + 1min);

      world.set_policy(freeze ? "Delete" : "Report", freeze);
      world.pause(5min);

      EXPECT_EQ(world.vms_named("m2"), 1U);
      EXPECT_THAT(world.told_of("m2"), HasSubstr(freeze ? "frozen" : "only reported"));
      world.set_policy("Delete", false);
      EXPECT_TRUE(world.goes("m2"));
    });
  }
}

TEST(Orphans, AreOnlyReportedByAFleetPolicyOnItsWayOut) {
  OrphanFixture world;
  world.settings_on_server = true;
  world.run([&] {
    api::FleetPolicy policy;
    policy.metadata.name = Text(api::policy::kFleetPolicyName);
    policy.metadata.finalizers = api::Finalizers({"example.com/not-yet"_text});
    policy.spec.orphans = api::FleetOrphans{.action = "Delete"_text};
    world.management.put(policy);
    ASSERT_TRUE(kube::remove<api::FleetPolicy>(world.management.user, {.name = policy.metadata.name.str()},
                                               {}, kNever));
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});

    world.periods(5);

    EXPECT_EQ(world.vms_named("m2"), 1U);
    EXPECT_THAT(world.told_of("m2"), HasSubstr("only reported"));
  });
}

// It comes in the last moment, when the caches of the provider do not have it yet.
TEST(Orphans, StayOnceALiveReadFindsAMachinePoolOfTheirName) {
  OrphanFixture world;
  bool came = false;
  world.fault = [&](const FaultPoint& point) {
    if (point.call == Call::Read && point.kind == "DriverMachinePool" && !std::exchange(came, true))
      world.management.put(a_machine_pool("mp1"));
    return Fault::None;
  };
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lead_to("acme");
    world.bring_up({"m1"});
    const std::string key = world.management.get<api::DriverCluster>("c1")->spec.cluster_key.str();
    ASSERT_TRUE(world.cloud
                    .create({.instance_key = "g-0",
                             .name = "mp1-0",
                             .tags = {{"capstan.dev/cluster-key", key},
                                      {"capstan.dev/namespace", "default"},
                                      {"capstan.dev/name", "mp1-0"},
                                      {"capstan.dev/pool", "mp1"},
                                      {"capstan.dev/group", "g"}}},
                            acme(), kNever)
                    .has_value());
    world.periods(5);

    EXPECT_TRUE(came);
    EXPECT_EQ(world.vms_named("mp1-0"), 1U);
  });
}

// Each account gets the whole time of a look.
TEST(Orphans, OfOneAccountAreFoundThoughTheListOfAnotherHangs) {
  OrphanFixture world;
  sim::SimCloud hanging({.clock = world.baton, .threads = world.baton}, {.latency = {.list = 1h}});
  world.drivers = Drivers({{"cloud", &world.cloud}, {"a-hanging-one", &hanging}});
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    for (const std::string_view name : {"m1", "m2"})
      world.management.add_machine(std::string(name), {.driver = "cloud"_text});
    world.management.add_machine("m3", {.driver = "a-hanging-one"_text});
    for (const std::string_view name : {"m1", "m2", "m3"})
      ASSERT_TRUE(world.eventually([&] { return world.management.provisioned(std::string(name)); }));
    world.lose_object_of("m2");

    EXPECT_TRUE(world.goes("m2"));
  });
}

TEST(Orphans, AVmThatGetsItsObjectBackLosesItsMark) {
  OrphanFixture world;
  world.orphans = {};
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lead_to("acme");
    world.bring_up({"m1", "m2"});
    const auto spec = world.management.get<api::DriverMachine>("m2")->spec;
    const auto is_marked = [&] { return world.cloud.vms().back().tags.contains("capstan.dev/orphan-since"); };
    world.lose_object_of("m2");
    world.periods(1);
    ASSERT_TRUE(is_marked());

    api::DriverMachine back;
    back.metadata.name = "m2"_text;
    back.metadata.namespace_ = "default"_text;
    back.metadata.labels.set("cluster.x-k8s.io/cluster-name", "c1");
    back.spec = spec;
    world.management.put(back);
    world.periods(1);

    EXPECT_FALSE(is_marked());
    EXPECT_TRUE(world.management.get<api::DriverCluster>("c1")->status.orphans.empty());
  });
}

#ifdef CAPSTAN_DEFECTS
TEST(Orphans, WithoutTheirChecksAVmIsDeletedByOneList) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lose({"m2"});

    switch_off(Safeguard::OrphanChecks);
    world.periods(1);
    switch_off(std::nullopt);

    EXPECT_EQ(world.vms_named("m2"), 0U);
  });
}
#endif

}  // namespace
}  // namespace capstan::infrastructure
