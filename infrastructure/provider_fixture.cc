#include "infrastructure/provider_fixture.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>

#include "api/bootstrap/cloud_config.h"
#include "api/conditions/conditions.h"
#include "api/policy/fleet_policy.h"
#include "api/schema/crd.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"

namespace capstan::infrastructure {

namespace {

template <typename T>
std::string ready_of(const std::optional<T>& object, bool with_message) {
  const auto ready =
      object ? api::conditions::find(object->status.conditions, api::condition::kReady) : nullptr;
  if (ready == nullptr) return {};
  return ready->reason.str() + (with_message ? ": " + ready->message.str() : "");
}

}  // namespace

ObjectKey named(std::string name) { return {.namespace_ = "default", .name = std::move(name)}; }

// --- the management cluster ---

Management::Management(Baton& baton, std::uint64_t seed)
    : api({.clock = baton, .seed = seed}), user(api, baton, {.user = "core"}) {}

void Management::install() {
  for (const json::value& crd :
       {api::crd<api::Cluster>(), api::crd<api::Machine>(), api::crd<api::DriverCluster>(),
        api::crd<api::DriverMachine>(), api::crd<api::DriverMachineTemplate>(), api::crd<api::MachinePool>(),
        api::crd<api::DriverMachinePool>(), api::crd<api::FleetPolicy>()}) {
    must(user.create(kube::resources::custom_resource_definitions(), {}, crd, {}, kNever), "install");
  }
}

void Management::provision_cluster() {
  const auto cluster = get<api::Cluster>("c1");
  api::Cluster after = *cluster;
  after.status.initialization.infrastructure_provisioned = true;
  must(kube::patch_status(user, *cluster, after, kNever), "provision the cluster");
}

void Management::probe_cluster(std::string_view status) {
  change_status<api::Cluster>("c1", [&](api::Cluster& cluster) {
    cluster.status.initialization.control_plane_initialized = true;
    api::conditions::set(cluster.status.conditions,
                         api::conditions::make(api::condition::kRemoteConnectionProbe, status, "Test"), 1,
                         builders::noon());
  });
}

void Management::add_cluster() {
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

void Management::add_data_secret(const std::string& name) {
  const json::value secret = {{"apiVersion", "v1"},
                              {"kind", "Secret"},
                              {"metadata", {{"name", name}, {"namespace", "default"}}},
                              {"data", {{"value", "I2Nsb3VkLWNvbmZpZwo="}}}};
  must(user.create(kube::resources::secrets(), named(name), secret, {}, kNever), "create the data Secret");
}

void Management::add_machine(const std::string& name, api::DriverMachineSpec spec, bool with_data) {
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

void Management::add_pool(const std::string& name, std::int32_t replicas, api::DriverMachinePoolSpec spec,
                          bool with_data) {
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

void Management::resize(const std::string& name, std::int32_t replicas) {
  change<api::MachinePool>(name, [&](api::MachinePool& pool) { pool.spec.replicas = replicas; });
}

bool Management::has(const std::string& name, std::int32_t instances) {
  const auto pool = get<api::DriverMachinePool>(name);
  return pool && pool->status.replicas == instances &&
         pool->spec.provider_id_list.size() == static_cast<std::size_t>(instances);
}

std::string Management::pool_ready(const std::string& name) {
  return ready_of(get<api::DriverMachinePool>(name), true);
}

bool Management::provisioned(const std::string& name) {
  const auto machine = get<api::DriverMachine>(name);
  return machine && machine->status.initialization.provisioned.value_or(false);
}

std::string Management::ready_reason(const std::string& name) {
  return ready_of(get<api::DriverMachine>(name), false);
}

// --- around the provider ---

InfrastructureFixture::InfrastructureFixture(sim::Script with, std::uint64_t seed)
    : baton({.seed = seed}),
      script(std::move(with)),
      management(baton, seed),
      planes(baton, baton, seed),
      cloud({.clock = baton, .threads = baton}, script),
      protocol(cloud, baton),
      behind_protocol(protocol, baton),
      kubelets({.clock = baton, .threads = baton, .cloud = cloud, .control_planes = planes}, 1) {}

void InfrastructureFixture::run(const std::function<void()>& story) {
  const auto report = baton.run([&] {
    management.install();
    kubelets.start();
    story();
    kubelets.stop();
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

fakes::FaultPlan InfrastructureFixture::plan() {
  return {
      .choose = [this](const FaultPoint& point) { return fault ? fault(point) : Fault::None; },
      .crash = [this] { baton.crash("provider"); },
      .crashing = [this] { return baton.crashing(); },
      .spawn_outside = [this](Threads::Body body) { return baton.spawn_process("network", std::move(body)); },
      .on_effect = [this](const FaultPoint& point) { ++writes[{point.call, std::string(point.kind)}]; }};
}

InfrastructureFixture::Process::Process(InfrastructureFixture& world, Management& management,
                                        const std::string& name)
    : thread_(world.baton.spawn("supervisor", [&world, &management, name](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          const auto head = world.baton.spawn_process(
              name, [&](const std::stop_token& until) { world.live(management, until); });
          const std::stop_callback pass_on(stop, [&] { head->request_stop(); });
          head->join();
          if (!stop.stop_requested()) world.pause(std::chrono::seconds(15), stop);
        }
      })) {}

// The suites of the provider hold behind the protocol, too (cmake/floors.cmake).
Drivers InfrastructureFixture::drivers_of_provider() {
  if (drivers) return *drivers;
  const char* const which = std::getenv("CAPSTAN_TEST_DRIVER");
  const bool remote = which != nullptr && which == std::string_view("remote");
  return remote ? Drivers(behind_protocol) : Drivers(cloud);
}

void InfrastructureFixture::live(Management& on, const std::stop_token& stop) {
  fakes::MemoryClient wire(on.api, baton, {.user = "provider"});
  fakes::FaultyClient network(wire, baton, baton, plan());
  SeededRandomness randomness(++starts);
  const OrphanSettingsSource settings =
      settings_on_server ? OrphanSettingsSource() : [this] { return orphans; };
  Provider provider({.clock = baton,
                     .threads = baton,
                     .client = network,
                     .drivers = drivers_of_provider(),
                     .control_planes = planes,
                     .randomness = randomness},
                    {.machine_concurrency = 3, .cluster_concurrency = 1, .orphans = settings});
  const auto started = provider.start(Deadline::in(baton, std::chrono::minutes(5), stop));
  if (!started) return;
  baton.pause(Deadline::never(stop));
  provider.stop();
}

void InfrastructureFixture::pause(Nanoseconds span, const std::stop_token& stop) {
  baton.pause(Deadline::in(baton, span, stop));
}

bool InfrastructureFixture::eventually(const std::function<bool()>& holds, Nanoseconds within) {
  const SteadyTime until = baton.steady_now() + within;
  while (!holds()) {
    if (baton.steady_now() > until) return false;
    pause(std::chrono::milliseconds(200));
  }
  return true;
}

void InfrastructureFixture::bring_cluster_up() {
  management.add_cluster();
  EXPECT_TRUE(eventually([&] {
    const auto cluster = management.get<api::DriverCluster>("c1");
    return cluster && cluster->status.initialization.provisioned.value_or(false);
  }));
  management.provision_cluster();
}

std::optional<api::Node> InfrastructureFixture::node(const std::string& name) {
  const auto client = planes.client(kCluster);
  if (!client) return std::nullopt;
  const auto found = kube::get<api::Node>(*client, ObjectKey{.name = name}, kNever);
  return found ? std::optional(*found) : std::nullopt;
}

std::size_t InfrastructureFixture::vms_named(std::string_view name) {
  return static_cast<std::size_t>(
      std::ranges::count_if(cloud.vms(), [&](const Vm& vm) { return vm.name == name; }));
}

}  // namespace capstan::infrastructure
