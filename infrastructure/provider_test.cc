// The infrastructure provider's clusters and machines, beside a core that the test plays.
#include "api/conditions/conditions.h"
#include "infrastructure/provider_fixture.h"

namespace capstan::infrastructure {
namespace {

using namespace std::chrono_literals;

TEST(Provider, GivesAClusterItsEndpointAndAuthority) {
  InfrastructureFixture world;
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);

    world.bring_cluster_up();

    const auto cluster = world.management.get<api::DriverCluster>("c1");
    EXPECT_EQ(cluster->spec.control_plane_endpoint.host, "127.0.0.1");
    EXPECT_EQ(cluster->spec.control_plane_endpoint.port, 6443);
    const auto secret = world.management.user.get(kube::resources::secrets(), named("c1-ca"), kNever);
    must(secret, "the authority's Secret");
    EXPECT_EQ(secret->at("type").as_string(), "cluster.x-k8s.io/secret");
    EXPECT_EQ(secret->at_pointer("/metadata/ownerReferences/0/kind").as_string(), "Cluster");
  });
}

TEST(Provider, TurnsAMachineIntoAVmAndANodeInThreeWrites) {
  InfrastructureFixture world;
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();

    world.management.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.node("m1").has_value(); }));
    world.pause(60s);

    const auto machine = world.management.get<api::DriverMachine>("m1");
    EXPECT_TRUE(machine->status.initialization.provisioned.value_or(false));
    EXPECT_TRUE(api::conditions::is_true(machine->status.conditions, "Ready"));
    EXPECT_EQ(machine->status.failure_domain, "a");
    EXPECT_FALSE(machine->status.addresses.empty());
    const auto node = world.node("m1");
    EXPECT_EQ(node->spec.provider_id, machine->spec.provider_id);
    EXPECT_EQ(node->status.node_info->kubelet_version, "v1.35.0");
    EXPECT_EQ(node->condition("Ready")->status, "True");
    EXPECT_EQ(node->spec.taints.at(0).key, "node.cluster.x-k8s.io/uninitialized");
    EXPECT_EQ(world.writes_of(Call::Patch, "DriverMachine"), 3);
    EXPECT_EQ(world.cloud.vms().at(0).tags.at("capstan.dev/instance-key"), machine->spec.instance_key.view());
  });
}

TEST(Provider, RemovesTheVmBeforeTheObjectGoes) {
  InfrastructureFixture world;
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    ASSERT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));

    world.management.remove<api::DriverMachine>("m1");
    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachine>("m1"); }));

    EXPECT_TRUE(world.cloud.vms().empty());
    EXPECT_EQ(world.kubelets.count(), 0U);
    EXPECT_EQ(world.writes_of(Call::Patch, "DriverMachine"), 4);  // three to make it, the finalizer to end it
  });
}

TEST(Provider, KeepsTheControlPlaneUntilTheLastMachineIsGone) {
  InfrastructureFixture world;
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    ASSERT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));

    world.management.remove<api::DriverCluster>("c1");
    world.pause(30s);
    EXPECT_TRUE(world.management.get<api::DriverCluster>("c1"));
    EXPECT_NE(world.planes.api(kCluster), nullptr);
    world.management.remove<api::DriverMachine>("m1");

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverCluster>("c1"); }));
    EXPECT_EQ(world.planes.api(kCluster), nullptr);
  });
}

TEST(Provider, AsksTheCloudForNothingBeforeThereIsBootstrapData) {
  InfrastructureFixture world;
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();

    world.management.add_machine("m1", {}, false);
    world.pause(5s);
    EXPECT_EQ(world.writes_of(Call::Patch, "DriverMachine"), 0) << "a moment of waiting is no news";
    world.pause(30s);

    EXPECT_EQ(world.management.ready_reason("m1"), "WaitingForBootstrapData");
    EXPECT_EQ(world.cloud.created(), 0U);
    EXPECT_FALSE(world.management.get<api::DriverMachine>("m1")->metadata.has_finalizer(
        api::driver::finalizer::kMachine));
  });
}

TEST(Provider, LeavesAPausedMachineAlone) {
  InfrastructureFixture world;
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    const auto cluster = world.management.get<api::Cluster>("c1");
    api::Cluster paused = *cluster;
    paused.spec.paused = true;
    must(kube::patch(world.management.user, *cluster, paused, kNever), "pause");

    world.management.add_machine("m1");
    world.pause(60s);
    EXPECT_EQ(world.cloud.created(), 0U);
    const auto held = world.management.get<api::Cluster>("c1");
    api::Cluster released = *held;
    released.spec.paused = false;
    must(kube::patch(world.management.user, *held, released, kNever), "go on");

    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));
    const auto machine = world.management.get<api::DriverMachine>("m1");
    EXPECT_TRUE(api::conditions::is_false(machine->status.conditions, "Paused"));
  });
}

TEST(Provider, RefusesAnAuthorityThatIsNotTheControlPlanesOwn) {
  InfrastructureFixture world;
  world.run([&] {
    const json::value foreign = {{"apiVersion", "v1"},
                                 {"kind", "Secret"},
                                 {"metadata", {{"name", "c1-ca"}, {"namespace", "default"}}},
                                 {"data", {{"tls.crt", "eA=="}}}};
    must(world.management.user.create(kube::resources::secrets(), named("c1-ca"), foreign, {}, kNever),
         "create");
    InfrastructureFixture::Process provider(world, world.management);
    world.management.add_cluster();
    const auto reason = [&] {
      const auto cluster = world.management.get<api::DriverCluster>("c1");
      const auto ready = api::conditions::find(cluster->status.conditions, "Ready");
      return ready == nullptr ? std::string() : ready->reason.str();
    };

    EXPECT_TRUE(world.eventually([&] { return reason() == "CertificateAuthorityTaken"; }));
    must(world.management.user.remove(kube::resources::secrets(), named("c1-ca"), {}, kNever), "delete");

    EXPECT_TRUE(world.eventually([&] { return reason() == "Ready"; }));
  });
}

// --- at most one VM ---

TEST(Provider, MakesNoSecondVmWhenTheAnswerOfTheCloudIsLost) {
  sim::Script script;
  script.faults = {{.verb = sim::SimVerb::Create, .code = DriverCode::Unknown, .times = 2, .happened = true}};
  InfrastructureFixture world(script);
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();

    world.management.add_machine("m1");

    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));
    EXPECT_EQ(world.cloud.created(), 1U);
    EXPECT_EQ(world.cloud.hits().at(0), 1U) << "status found it, nobody asked for a second one";
  });
}

// Whatever befalls the three writes of a creation, and whenever the process dies: one VM per DriverMachine.
TEST(Provider, MakesOneVmPerMachineWhateverBefallsItsWrites) {
  constexpr std::array kFaults = {Fault::CrashBefore, Fault::CrashAfter, Fault::LostReply,
                                  Fault::Conflict,    Fault::Timeout,    Fault::Late};
  std::map<Fault, int> fired;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    InfrastructureFixture world({}, seed);
    int budget = 6;
    bool raging = false;
    world.fault = [&](const FaultPoint& point) {
      if (!raging || budget == 0 || !fakes::is_write(point.call) || world.baton.draw(3) != 0)
        return Fault::None;
      --budget;
      const Fault fault = kFaults[world.baton.draw(kFaults.size())];
      ++fired[fault];
      return fault;
    };
    world.run([&] {
      InfrastructureFixture::Process provider(world, world.management);
      world.bring_cluster_up();
      raging = true;

      world.management.add_machine("m1");
      world.management.add_machine("m2");

      EXPECT_TRUE(world.eventually(
          [&] { return world.management.provisioned("m1") && world.management.provisioned("m2"); }, 20min))
          << "seed " << seed;
      world.pause(2min);
      EXPECT_EQ(world.cloud.created(), 2U) << "seed " << seed;
      raging = false;
      world.management.remove<api::DriverMachine>("m1");
      EXPECT_TRUE(world.eventually([&] { return world.vms_named("m1") == 0; })) << "seed " << seed;
    });
  }
  for (const Fault fault : kFaults) EXPECT_GT(fired[fault], 0) << to_string(fault);
}

TEST(Provider, MakesNoSecondVmWhenItDiesInTheMiddleOfACall) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::Script script;
    script.latency.create = 4s;
    InfrastructureFixture world(script, seed);
    world.run([&] {
      InfrastructureFixture::Process provider(world, world.management);
      world.bring_cluster_up();

      world.management.add_machine("m1");
      world.pause(Nanoseconds(100ms) * static_cast<std::int64_t>(world.baton.draw(50)));
      world.baton.crash("provider");

      EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); })) << "seed " << seed;
      EXPECT_EQ(world.cloud.created(), 1U) << "seed " << seed;
    });
  }
}

// A move gives every object a new uid and forgets status; what it keeps is the spec.
void move(Management& from, Management& to, const std::string& machine, bool with_provider_id) {
  api::DriverMachineSpec spec = from.get<api::DriverMachine>(machine)->spec;
  if (!with_provider_id) spec.provider_id = {};
  to.add_machine(machine, spec);
}

class AfterAMove : public testing::TestWithParam<bool> {};

TEST_P(AfterAMove, TheVmIsFoundAgainAndNoSecondOneMade) {
  InfrastructureFixture world;
  world.run([&] {
    Management target(world.baton, 77);
    target.install();
    {
      InfrastructureFixture::Process provider(world, world.management);
      world.bring_cluster_up();
      world.management.add_machine("m1");
      ASSERT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));
    }
    const auto before = world.management.get<api::DriverMachine>("m1");

    target.add_cluster();
    target.provision_cluster();
    move(world.management, target, "m1", GetParam());
    InfrastructureFixture::Process provider(world, target);

    EXPECT_TRUE(world.eventually([&] { return target.provisioned("m1"); }));
    const auto after = target.get<api::DriverMachine>("m1");
    EXPECT_NE(after->metadata.uid, before->metadata.uid);
    EXPECT_EQ(after->spec.provider_id, before->spec.provider_id);
    EXPECT_EQ(world.cloud.created(), 1U);
    target.remove<api::DriverMachine>("m1");
    EXPECT_TRUE(world.eventually([&] { return world.cloud.vms().empty(); })) << "the new place removes it";
  });
}
INSTANTIATE_TEST_SUITE_P(Provider, AfterAMove, testing::Bool(), [](const auto& what) {
  return what.param ? std::string("WithProviderId") : std::string("InTheMiddleOfCreation");
});

TEST(Provider, DoesNotTakeTheVmOfAnotherForItsOwn) {
  InfrastructureFixture world;
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    ASSERT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));

    api::DriverMachineSpec copied = world.management.get<api::DriverMachine>("m1")->spec;
    copied.provider_id = {};
    world.management.add_machine("m2", copied);
    EXPECT_TRUE(world.eventually([&] { return world.management.ready_reason("m2") == "InstanceKeyTaken"; }));
    world.management.remove<api::DriverMachine>("m2");

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachine>("m2"); }));
    EXPECT_EQ(world.vms_named("m1"), 1U) << "the copy's deletion leaves it alone";
  });
}

// What `kubectl get -o yaml | kubectl create -f -` under another name brings.
TEST(Provider, LeavesTheVmAloneWhenACopyWithItsProviderIdIsDeleted) {
  InfrastructureFixture world;
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    ASSERT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));

    world.management.add_machine("m2", world.management.get<api::DriverMachine>("m1")->spec);
    api::DriverMachine copy = *world.management.get<api::DriverMachine>("m2");
    const api::DriverMachine bare = copy;
    copy.metadata.finalizers = world.management.get<api::DriverMachine>("m1")->metadata.finalizers;
    (void)kube::patch(world.management.user, bare, copy, kNever);
    EXPECT_TRUE(world.eventually([&] { return world.management.ready_reason("m2") == "InstanceKeyTaken"; }));
    world.management.remove<api::DriverMachine>("m2");

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachine>("m2"); }));
    EXPECT_EQ(world.vms_named("m1"), 1U) << "the copy's deletion leaves it alone";
  });
}

// An edit, or a manifest applied over the wrong object: both are provisioned, and both name one VM from then
// on.
TEST(Provider, RemovesItsOwnVmWhenItsProviderIdWasEditedToAnothers) {
  InfrastructureFixture world;
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    for (const auto* name : {"m1", "m2"}) {
      world.management.add_machine(name);
      ASSERT_TRUE(world.eventually([&] { return world.management.provisioned(name); }));
    }
    const Text other = world.management.get<api::DriverMachine>("m1")->spec.provider_id;
    world.management.change<api::DriverMachine>(
        "m2", [&](api::DriverMachine& machine) { machine.spec.provider_id = other; });
    world.management.remove<api::DriverMachine>("m2");

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachine>("m2"); }));
    EXPECT_EQ(world.vms_named("m1"), 1U) << "it belongs to the other one";
    EXPECT_EQ(world.vms_named("m2"), 0U) << "its own is not left behind";
  });
}

// All finalizers stripped by hand, as to get rid of something that hangs.
TEST(Provider, PutsStrippedFinalizersBackSoThatNoVmOutlivesItsObject) {
  InfrastructureFixture world;
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    ASSERT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));

    world.management.change<api::DriverMachine>(
        "m1", [](api::DriverMachine& machine) { machine.metadata.finalizers = {}; });
    world.management.change<api::DriverCluster>(
        "c1", [](api::DriverCluster& cluster) { cluster.metadata.finalizers = {}; });
    EXPECT_TRUE(world.eventually([&] {
      return !world.management.get<api::DriverMachine>("m1")->metadata.finalizers->empty() &&
             !world.management.get<api::DriverCluster>("c1")->metadata.finalizers->empty();
    }));
    world.management.remove<api::DriverMachine>("m1");
    world.management.remove<api::DriverCluster>("c1");

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverCluster>("c1"); }));
    EXPECT_TRUE(world.cloud.vms().empty());
  });
}

// --- what clouds do ---

TEST(Provider, SaysThatAVmIsGoneAndMakesNoOtherInItsPlace) {
  InfrastructureFixture world;
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    ASSERT_TRUE(world.eventually([&] { return world.node("m1").has_value(); }));

    EXPECT_EQ(world.cloud.vanish("m1"), 1U);

    EXPECT_TRUE(world.eventually([&] { return world.management.ready_reason("m1") == "VMGone"; }));
    EXPECT_TRUE(world.eventually([&] { return world.node("m1")->condition("Ready")->status == "Unknown"; }));
    world.pause(10min);
    EXPECT_EQ(world.cloud.created(), 1U);
    EXPECT_TRUE(world.management.provisioned("m1")) << "what was true once stays true";
    world.management.remove<api::DriverMachine>("m1");
    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachine>("m1"); }));
  });
}

TEST(Provider, NamesAnExhaustedQuotaAndGoesOnWhenThereIsRoom) {
  sim::Script script;
  script.quota.vms = 1;
  InfrastructureFixture world(script);
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    ASSERT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));

    world.management.add_machine("m2");
    EXPECT_TRUE(world.eventually([&] { return world.management.ready_reason("m2") == "ResourceExhausted"; }));
    const int writes = world.writes_of(Call::Patch, "DriverMachine");
    world.pause(35min);
    EXPECT_EQ(world.writes_of(Call::Patch, "DriverMachine"), writes) << "the same news is no news";
    world.management.remove<api::DriverMachine>("m1");

    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m2"); }, 15min));
  });
}

TEST(Provider, TriesARemovalAgainUntilTheVmIsGone) {
  sim::Script script;
  script.faults = {{.verb = sim::SimVerb::Remove, .code = DriverCode::Internal, .message = "no", .times = 2}};
  InfrastructureFixture world(script);
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    ASSERT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));

    world.management.remove<api::DriverMachine>("m1");
    EXPECT_TRUE(world.eventually([&] { return world.management.ready_reason("m1") == "DeleteFailed"; }));
    EXPECT_EQ(world.vms_named("m1"), 1U);

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachine>("m1"); }, 20min));
    EXPECT_EQ(world.vms_named("m1"), 0U);
  });
}

TEST(Provider, IsSilentWhenNothingHappens) {
  sim::Script script;
  script.list_lag = 3s;
  InfrastructureFixture world(script);
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    ASSERT_TRUE(world.eventually([&] { return world.node("m1").has_value(); }));
    world.pause(60s);
    const auto before = world.writes;

    world.pause(20min);

    EXPECT_EQ(world.writes, before);
  });
}

}  // namespace
}  // namespace capstan::infrastructure
