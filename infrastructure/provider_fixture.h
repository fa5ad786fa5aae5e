// The infrastructure provider as a whole, under a baton: real controllers, informers and kubelets, a
// management API server and workload API servers in memory. The test plays the core provider. Used by
// provider_test.cc and provider_pool_test.cc; everything runs under the baton of one World.
#pragma once

#include "infrastructure/provider.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/bootstrap/cloud_config.h"
#include "api/conditions/conditions.h"
#include "api/core/node.h"
#include "api/driver/driver_machine_pool.h"
#include "api/driver/driver_machine_template.h"
#include "api/names.h"
#include "api/schema/crd.h"
#include "api/v1beta2/machine_pool.h"
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

namespace json = boost::json;
using fakes::Baton;
using fakes::Call;
using fakes::Fault;
using fakes::FaultPoint;
using kube::ObjectKey;
using testing::HasSubstr;

inline const ObjectKey kCluster{.namespace_ = "default", .name = "c1"};
inline const Deadline kNever = Deadline::never();

inline ObjectKey named(std::string name) { return {.namespace_ = "default", .name = std::move(name)}; }

template <typename T>
void must(const Result<T>& result, std::string_view what) {
  if (!result) ADD_FAILURE() << what << ": " << result.error().describe();
}

// A management cluster and what else writes there: the user and the core provider.
struct Management {
  apiserver::Api api;
  fakes::MemoryClient user;

  Management(Baton& baton, std::uint64_t seed)
      : api({.clock = baton, .seed = seed}), user(api, baton, {.user = "core"}) {}

  void install() {
    for (const json::value& crd :
         {api::crd<api::Cluster>(), api::crd<api::Machine>(), api::crd<api::DriverCluster>(),
          api::crd<api::DriverMachine>(), api::crd<api::DriverMachineTemplate>(),
          api::crd<api::MachinePool>(), api::crd<api::DriverMachinePool>()}) {
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
  // A MachinePool with bootstrap data, and the DriverMachinePool it owns.
  void add_pool(const std::string& name, std::int32_t replicas, api::DriverMachinePoolSpec spec = {},
                bool with_data = true) {
    api::MachinePool pool;
    pool.metadata.name = Text(name);
    pool.metadata.namespace_ = "default"_text;
    pool.spec.cluster_name = "c1"_text;
    pool.spec.replicas = replicas;
    auto& machine = pool.spec.machine_template.spec;
    machine.cluster_name = "c1"_text;
    machine.version = "v1.35.0"_text;
    machine.bootstrap.data_secret_name = Text(name);
    machine.infrastructure_ref = {
        .api_group = Text(api::group::kInfrastructure), .kind = "DriverMachinePool"_text, .name = Text(name)};
    pool = put(pool);
    if (with_data) add_data_secret(name);
    api::DriverMachinePool group;
    group.metadata.name = Text(name);
    group.metadata.namespace_ = "default"_text;
    group.metadata.labels.set(api::label::kClusterName, "c1");
    group.metadata.owner_references = owners(pool);
    group.spec = std::move(spec);
    put(group);
  }
  template <typename T>
  void change(const std::string& name, const std::function<void(T&)>& how) {
    const auto before = get<T>(name);
    T after = *before;
    how(after);
    must(kube::patch(user, *before, after, kNever), "patch");
  }
  void resize(const std::string& name, std::int32_t replicas) {
    change<api::MachinePool>(name, [&](api::MachinePool& pool) { pool.spec.replicas = replicas; });
  }
  // How many instances the pool says it has, in both places.
  bool has(const std::string& name, std::int32_t instances) {
    const auto pool = get<api::DriverMachinePool>(name);
    return pool && pool->status.replicas == instances &&
           pool->spec.provider_id_list.size() == static_cast<std::size_t>(instances);
  }
  std::string pool_ready(const std::string& name) {
    const auto pool = get<api::DriverMachinePool>(name);
    const auto ready =
        pool ? api::conditions::find(pool->status.conditions, api::condition::kReady) : nullptr;
    return ready == nullptr ? std::string() : ready->reason.str() + ": " + ready->message.str();
  }
  bool provisioned(const std::string& name) {
    const auto machine = get<api::DriverMachine>(name);
    return machine && machine->status.initialization.provisioned.value_or(false);
  }
  std::string ready_reason(const std::string& name) {
    const auto machine = get<api::DriverMachine>(name);
    const auto ready =
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
    Process(World& world, Management& management, const std::string& name = "provider")
        : thread_(world.baton.spawn("supervisor", [&world, &management, name](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
              const auto head = world.baton.spawn_process(
                  name, [&](const std::stop_token& until) { world.live(management, until); });
              const std::stop_callback pass_on(stop, [&] { head->request_stop(); });
              head->join();
              if (!stop.stop_requested()) world.sleep(std::chrono::seconds(15), stop);
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
    const auto started = provider.start(Deadline::in(baton, std::chrono::minutes(5), stop));
    if (!started) return;
    baton.pause(Deadline::never(stop));
    provider.stop();
  }
  void sleep(Nanoseconds span, const std::stop_token& stop = {}) {
    baton.pause(Deadline::in(baton, span, stop));
  }
  bool eventually(const std::function<bool()>& holds, Nanoseconds within = std::chrono::minutes(5)) {
    const SteadyTime until = baton.steady_now() + within;
    while (!holds()) {
      if (baton.steady_now() > until) return false;
      sleep(std::chrono::milliseconds(200));
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

}  // namespace capstan::infrastructure
