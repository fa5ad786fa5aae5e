// VMs that are no object's, from the first list that shows them to their end, and all that keeps them.
#include "api/conditions/conditions.h"
#include "api/policy/fleet_policy.h"
#include "base/safeguards.h"
#include "infrastructure/account_fixture.h"
#include "test/builders/machine.h"

namespace capstan::infrastructure {
namespace {

using namespace std::chrono_literals;

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
  void set_policy(std::string_view action, bool frozen) {
    api::FleetPolicy policy;
    policy.metadata.name = Text(api::policy::kFleetPolicyName);
    policy.spec.orphans = api::FleetOrphans{.action = Text(action)};
    if (frozen) policy.metadata.annotations.set(api::policy::annotation::kFreeze, "an incident");
    (void)kube::remove<api::FleetPolicy>(management.user, {.name = policy.metadata.name.str()}, {}, kNever);
    management.put(policy);
  }
  void periods(int count) { pause(kPeriod * count + 10s); }
  bool goes(const std::string& vm, int within = 6) {
    return eventually([&] { return vms_named(vm) == 0; }, kPeriod * within);
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

TEST(Orphans, AreFoundInTheAccountThatATemplateAloneLeadsTo) {
  OrphanFixture world;
  world.run([&] {
    AccountFixture::Process provider(world, world.management);
    world.lead_to("acme");
    world.bring_up({"m2"});
    world.lose_object_of("m2");
    world.periods(3);
    ASSERT_EQ(world.told_of("m2"), "") << "no object leads to its account";

    api::DriverMachineTemplate workers;
    workers.metadata.name = "workers"_text;
    workers.metadata.namespace_ = "default"_text;
    workers.spec.template_.spec.credentials_ref = cloud_credentials();
    world.management.put(workers);
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

// Incident: an etcd is restored from yesterday. VMs made since then have no object, and DriverMachines of
// yesterday have no VM.
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
