// The infrastructure provider as a whole, under a baton: real controllers, informers and kubelets, a
// management API server and workload API servers in memory. The test plays the core provider.
#include "infrastructure/provider.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/bootstrap/cloud_config.h"
#include "api/conditions/conditions.h"
#include "api/core/node.h"
#include "api/driver/driver_machine_template.h"
#include "api/names.h"
#include "api/schema/crd.h"
#include "infrastructure/sim/kubelet.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/fakes/baton.h"
#include "test/fakes/faulty_client.h"
#include "test/fakes/memory_client.h"
#include "test/fakes/memory_control_planes.h"

namespace capstan::infrastructure {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using fakes::Baton;
using fakes::Call;
using fakes::Fault;
using fakes::FaultPoint;
using kube::ObjectKey;
using testing::HasSubstr;

const ObjectKey kCluster{.namespace_ = "default", .name = "c1"};
const Deadline kNever = Deadline::never();

ObjectKey named(std::string name) { return {.namespace_ = "default", .name = std::move(name)}; }

template <typename T>
void must(const Result<T>& result, std::string_view what) {
  if (!result) ADD_FAILURE() << what << ": " << result.error().describe();
}

// A management cluster and whoever writes there by hand: the user and the core provider.
struct Management {
  apiserver::Api api;
  fakes::MemoryClient user;

  Management(Baton& baton, std::uint64_t seed)
      : api({.clock = baton, .seed = seed}), user(api, baton, {.user = "core"}) {}

  void install() {
    for (const json::value& crd :
         {api::crd<api::Cluster>(), api::crd<api::Machine>(), api::crd<api::DriverCluster>(),
          api::crd<api::DriverMachine>(), api::crd<api::DriverMachineTemplate>()}) {
      must(user.create(kube::resources::custom_resource_definitions(), {}, crd, {}, kNever), "install");
    }
  }
  template <typename T>
  T put(T object) {
    object.metadata.uid = {};
    object.metadata.resource_version = {};
    const auto made = kube::create(user, object, {}, kNever);
    must(made, "create");
    return made ? *made : object;
  }
  template <typename T>
  std::optional<T> get(const std::string& name) {
    const auto found = kube::get<T>(user, named(name), kNever);
    return found ? std::optional(*found) : std::nullopt;
  }
  template <typename T>
  void remove(const std::string& name) {
    must(kube::remove<T>(user, named(name), {}, kNever), "delete");
  }

  // What the core does once the DriverCluster says it is provisioned.
  void provision_cluster() {
    const auto cluster = get<api::Cluster>("c1");
    api::Cluster after = *cluster;
    after.status.initialization.infrastructure_provisioned = true;
    must(kube::patch_status(user, *cluster, after, kNever), "provision the cluster");
  }
  void add_cluster() {
    api::Cluster cluster = builders::a_cluster("c1").without_control_plane_ref();
    cluster.spec.infrastructure_ref->kind = "DriverCluster"_text;
    cluster = put(cluster);
    api::DriverCluster infrastructure;
    infrastructure.metadata.name = "c1"_text;
    infrastructure.metadata.namespace_ = "default"_text;
    infrastructure.metadata.labels.set(api::label::kClusterName, "c1");
    infrastructure.metadata.owner_references = owners(cluster);
    put(infrastructure);
  }
  template <typename T>
  static api::OwnerReferences owners(const T& owner) {
    return api::OwnerReferences({{.api_version = Text(api::kApiVersion),
                                  .kind = Text(api::resource<T>.kind),
                                  .name = owner.metadata.name,
                                  .uid = owner.metadata.uid}});
  }
  void add_data_secret(const std::string& name) {
    const json::value secret = {{"apiVersion", "v1"},
                                {"kind", "Secret"},
                                {"metadata", {{"name", name}, {"namespace", "default"}}},
                                {"data", {{"value", "I2Nsb3VkLWNvbmZpZwo="}}}};
    must(user.create(kube::resources::secrets(), named(name), secret, {}, kNever), "create the data Secret");
  }
  // A Machine with bootstrap data, and the DriverMachine it owns.
  void add_machine(const std::string& name, api::DriverMachineSpec spec = {}, bool with_data = true) {
    api::Machine machine = builders::a_machine(name).version("v1.35.0").in_failure_domain("a");
    machine.spec.infrastructure_ref = {
        .api_group = Text(api::group::kInfrastructure), .kind = "DriverMachine"_text, .name = Text(name)};
    if (with_data) machine.spec.bootstrap.data_secret_name = Text(name);
    machine = put(machine);
    if (with_data) add_data_secret(name);
    api::DriverMachine vm;
    vm.metadata.name = Text(name);
    vm.metadata.namespace_ = "default"_text;
    vm.metadata.labels.set(api::label::kClusterName, "c1");
    vm.metadata.owner_references = owners(machine);
    vm.spec = std::move(spec);
    put(vm);
  }
  bool provisioned(const std::string& name) {
    const auto machine = get<api::DriverMachine>(name);
    return machine && machine->status.initialization.provisioned.value_or(false);
  }
  std::string ready_reason(const std::string& name) {
    const auto machine = get<api::DriverMachine>(name);
    const auto* ready =
        machine ? api::conditions::find(machine->status.conditions, api::condition::kReady) : nullptr;
    return ready == nullptr ? std::string() : ready->reason.str();
  }
};

// Everything around a provider, and the provider.
struct World {
  Baton baton;
  sim::Script script;
  Management management;
  fakes::MemoryControlPlanes planes;
  sim::SimCloud cloud;
  sim::Kubelets kubelets;
  std::map<std::pair<Call, std::string>, int> writes = {};  // by verb and kind, of the provider
  std::function<Fault(const FaultPoint&)> fault = {};
  std::uint64_t starts = 0;

  explicit World(sim::Script with = {}, std::uint64_t seed = 1)
      : baton({.seed = seed}),
        script(std::move(with)),
        management(baton, seed),
        planes(baton, baton, seed),
        cloud({.clock = baton, .threads = baton}, script),
        kubelets({.clock = baton, .threads = baton, .cloud = cloud, .control_planes = planes}, 1) {}

  void run(const std::function<void()>& story) {
    const auto report = baton.run([&] {
      management.install();
      kubelets.start();
      story();
      kubelets.stop();
    });
    EXPECT_TRUE(report.finished()) << report.why;
  }
  fakes::FaultPlan plan() {
    return {
        .choose = [this](const FaultPoint& point) { return fault ? fault(point) : Fault::None; },
        .crash = [this] { baton.crash("provider"); },
        .crashing = [this] { return baton.crashing(); },
        .spawn_outside =
            [this](Threads::Body body) { return baton.spawn_process("network", std::move(body)); },
        .on_effect = [this](const FaultPoint& point) { ++writes[{point.call, std::string(point.kind)}]; }};
  }
  // A provider process on that management cluster, started again whenever it dies, until the story lets go.
  class Process {
   public:
    Process(World& world, Management& management, std::string name = "provider")
        : thread_(world.baton.spawn("supervisor", [&world, &management, name](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
              const auto head = world.baton.spawn_process(
                  name, [&](const std::stop_token& until) { world.live(management, until); });
              const std::stop_callback pass_on(stop, [&] { head->request_stop(); });
              head->join();
              if (!stop.stop_requested()) world.sleep(15s, stop);
            }
          })) {}

   private:
    std::unique_ptr<Thread> thread_;
  };
  void live(Management& on, const std::stop_token& stop) {
    fakes::MemoryClient wire(on.api, baton, {.user = "provider"});
    fakes::FaultyClient network(wire, baton, baton, plan());
    SeededRandomness randomness(++starts);
    Provider provider({.clock = baton,
                       .threads = baton,
                       .client = network,
                       .driver = cloud,
                       .control_planes = planes,
                       .randomness = randomness},
                      {.machine_concurrency = 3, .cluster_concurrency = 1});
    const auto started = provider.start(Deadline::in(baton, 5min, stop));
    if (!started) return;
    baton.pause(Deadline::never(stop));
    provider.stop();
  }
  void sleep(Nanoseconds span, const std::stop_token& stop = {}) {
    baton.pause(Deadline::in(baton, span, stop));
  }
  bool eventually(const std::function<bool()>& holds, Nanoseconds within = 5min) {
    const SteadyTime until = baton.steady_now() + within;
    while (!holds()) {
      if (baton.steady_now() > until) return false;
      sleep(200ms);
    }
    return true;
  }
  void bring_cluster_up() {
    management.add_cluster();
    EXPECT_TRUE(eventually([&] {
      const auto cluster = management.get<api::DriverCluster>("c1");
      return cluster && cluster->status.initialization.provisioned.value_or(false);
    }));
    management.provision_cluster();
  }
  std::optional<api::Node> node(const std::string& name) {
    const auto client = planes.client(kCluster);
    if (!client) return std::nullopt;
    const auto found = kube::get<api::Node>(*client, ObjectKey{.name = name}, kNever);
    return found ? std::optional(*found) : std::nullopt;
  }
  std::size_t vms_named(std::string_view name) {
    return static_cast<std::size_t>(
        std::ranges::count_if(cloud.vms(), [&](const Vm& vm) { return vm.name == name; }));
  }
  int writes_of(Call call, const std::string& kind) { return writes[{call, kind}]; }
};

TEST(Provider, GivesAClusterItsEndpointAndAuthority) {
  World world;
  world.run([&] {
    World::Process provider(world, world.management);

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
  World world;
  world.run([&] {
    World::Process provider(world, world.management);
    world.bring_cluster_up();

    world.management.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.node("m1").has_value(); }));
    world.sleep(60s);

    const auto machine = world.management.get<api::DriverMachine>("m1");
    EXPECT_TRUE(machine->status.initialization.provisioned.value_or(false));
    EXPECT_TRUE(api::conditions::is_true(machine->status.conditions, "Ready"));
    EXPECT_EQ(machine->status.failure_domain, "a");
    EXPECT_FALSE(machine->status.addresses.empty());
    const auto node = world.node("m1");
    EXPECT_EQ(node->spec.provider_id, machine->spec.provider_id);
    EXPECT_EQ(node->status.node_info.kubelet_version, "v1.35.0");
    EXPECT_EQ(node->condition("Ready")->status, "True");
    EXPECT_EQ(node->spec.taints.at(0).key, "node.cluster.x-k8s.io/uninitialized");
    EXPECT_EQ(world.writes_of(Call::Patch, "DriverMachine"), 3);
    EXPECT_EQ(world.cloud.vms().at(0).tags.at("capstan.dev/instance-key"), machine->spec.instance_key.view());
  });
}

TEST(Provider, RemovesTheVmBeforeTheObjectGoes) {
  World world;
  world.run([&] {
    World::Process provider(world, world.management);
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
  World world;
  world.run([&] {
    World::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    ASSERT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));

    world.management.remove<api::DriverCluster>("c1");
    world.sleep(30s);
    EXPECT_TRUE(world.management.get<api::DriverCluster>("c1"));
    EXPECT_NE(world.planes.api(kCluster), nullptr);
    world.management.remove<api::DriverMachine>("m1");

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverCluster>("c1"); }));
    EXPECT_EQ(world.planes.api(kCluster), nullptr);
  });
}

TEST(Provider, AsksTheCloudForNothingBeforeThereIsBootstrapData) {
  World world;
  world.run([&] {
    World::Process provider(world, world.management);
    world.bring_cluster_up();

    world.management.add_machine("m1", {}, false);
    world.sleep(5s);
    EXPECT_EQ(world.writes_of(Call::Patch, "DriverMachine"), 0) << "a moment of waiting is no news";
    world.sleep(30s);

    EXPECT_EQ(world.management.ready_reason("m1"), "WaitingForBootstrapData");
    EXPECT_EQ(world.cloud.created(), 0U);
    EXPECT_FALSE(world.management.get<api::DriverMachine>("m1")->metadata.has_finalizer(
        api::driver::finalizer::kMachine));
  });
}

TEST(Provider, LeavesAPausedMachineAlone) {
  World world;
  world.run([&] {
    World::Process provider(world, world.management);
    world.bring_cluster_up();
    const auto cluster = world.management.get<api::Cluster>("c1");
    api::Cluster paused = *cluster;
    paused.spec.paused = true;
    must(kube::patch(world.management.user, *cluster, paused, kNever), "pause");

    world.management.add_machine("m1");
    world.sleep(60s);
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
  World world;
  world.run([&] {
    const json::value foreign = {{"apiVersion", "v1"},
                                 {"kind", "Secret"},
                                 {"metadata", {{"name", "c1-ca"}, {"namespace", "default"}}},
                                 {"data", {{"tls.crt", "eA=="}}}};
    must(world.management.user.create(kube::resources::secrets(), named("c1-ca"), foreign, {}, kNever),
         "create");
    World::Process provider(world, world.management);
    world.management.add_cluster();
    const auto reason = [&] {
      const auto cluster = world.management.get<api::DriverCluster>("c1");
      const auto* ready = api::conditions::find(cluster->status.conditions, "Ready");
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
  World world(script);
  world.run([&] {
    World::Process provider(world, world.management);
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
    World world({}, seed);
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
      World::Process provider(world, world.management);
      world.bring_cluster_up();
      raging = true;

      world.management.add_machine("m1");
      world.management.add_machine("m2");

      EXPECT_TRUE(world.eventually(
          [&] { return world.management.provisioned("m1") && world.management.provisioned("m2"); }, 20min))
          << "seed " << seed;
      world.sleep(2min);
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
    World world(script, seed);
    world.run([&] {
      World::Process provider(world, world.management);
      world.bring_cluster_up();

      world.management.add_machine("m1");
      world.sleep(Nanoseconds(100ms) * static_cast<std::int64_t>(world.baton.draw(50)));
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
  World world;
  world.run([&] {
    Management target(world.baton, 77);
    target.install();
    {
      World::Process provider(world, world.management);
      world.bring_cluster_up();
      world.management.add_machine("m1");
      ASSERT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));
    }
    const auto before = world.management.get<api::DriverMachine>("m1");

    target.add_cluster();
    target.provision_cluster();
    move(world.management, target, "m1", GetParam());
    World::Process provider(world, target);

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
  World world;
  world.run([&] {
    World::Process provider(world, world.management);
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
  World world;
  world.run([&] {
    World::Process provider(world, world.management);
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

// --- what clouds do ---

TEST(Provider, SaysThatAVmIsGoneAndMakesNoOtherInItsPlace) {
  World world;
  world.run([&] {
    World::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    ASSERT_TRUE(world.eventually([&] { return world.node("m1").has_value(); }));

    EXPECT_EQ(world.cloud.vanish("m1"), 1U);

    EXPECT_TRUE(world.eventually([&] { return world.management.ready_reason("m1") == "VMGone"; }));
    EXPECT_TRUE(world.eventually([&] { return world.node("m1")->condition("Ready")->status == "Unknown"; }));
    world.sleep(10min);
    EXPECT_EQ(world.cloud.created(), 1U);
    EXPECT_TRUE(world.management.provisioned("m1")) << "what was true once stays true";
    world.management.remove<api::DriverMachine>("m1");
    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachine>("m1"); }));
  });
}

TEST(Provider, NamesAnExhaustedQuotaAndGoesOnWhenThereIsRoom) {
  sim::Script script;
  script.quota.vms = 1;
  World world(script);
  world.run([&] {
    World::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    ASSERT_TRUE(world.eventually([&] { return world.management.provisioned("m1"); }));

    world.management.add_machine("m2");
    EXPECT_TRUE(world.eventually([&] { return world.management.ready_reason("m2") == "ResourceExhausted"; }));
    const int writes = world.writes_of(Call::Patch, "DriverMachine");
    world.sleep(35min);
    EXPECT_EQ(world.writes_of(Call::Patch, "DriverMachine"), writes) << "the same news is no news";
    world.management.remove<api::DriverMachine>("m1");

    EXPECT_TRUE(world.eventually([&] { return world.management.provisioned("m2"); }, 15min));
  });
}

TEST(Provider, TriesARemovalAgainUntilTheVmIsGone) {
  sim::Script script;
  script.faults = {{.verb = sim::SimVerb::Remove, .code = DriverCode::Internal, .message = "no", .times = 2}};
  World world(script);
  world.run([&] {
    World::Process provider(world, world.management);
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
  World world(script);
  world.run([&] {
    World::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    ASSERT_TRUE(world.eventually([&] { return world.node("m1").has_value(); }));
    world.sleep(60s);
    const auto before = world.writes;

    world.sleep(20min);

    EXPECT_EQ(world.writes, before);
  });
}

}  // namespace
}  // namespace capstan::infrastructure
