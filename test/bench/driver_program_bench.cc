// What drivers cost that are programs of their own, by capstan-provider on an embedded API server: the
// provider's CPU for each Machine, against that with the same simulated cloud inside of it; and the time
// until Machines of a driver have their VMs, without and with Machines of another one that hangs.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <fstream>
#include <map>
#include <stdexcept>

#include "api/driver/driver_cluster.h"
#include "api/driver/driver_machine.h"
#include "api/names.h"
#include "api/v1beta2/machine.h"
#include "kube/remote_client.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "net/io_pool.h"
#include "test/bench/bench_fleet.h"
#include "test/bench/figure.h"
#include "test/bench/webhook_ground.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/envtest/child_process.h"
#include "test/envtest/fleet_bed.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::bench {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kMachines = 800;
constexpr int kAtOnce = 30;  // fewer than a driver has workers
constexpr int kBatches = 10;
constexpr int kTurns = 3;
constexpr int kHung = 100;  // more than a driver has workers
constexpr std::string_view kAnswers = "latency: {create: 200ms, status: 1ms}\n";
constexpr std::string_view kAsInside = "seed: 1\n";
constexpr std::string_view kHangs = "latency: {create: 1h}\n";

// A provider with drivers of these names and scripts; with none the simulated cloud is inside of it.
class DriverPrograms {
 public:
  using Scripts = std::map<std::string, std::string_view>;
  DriverPrograms(const Place& place, const Scripts& drivers)
      : place_(place), server_(embedded_with_crds(place)), folder_(must(envtest::ScratchFolder::create())) {
    const auto& server = server_->server();
    client_ = must(kube::RemoteClient::make({io_, threads_, clock_},
                                            {.server = fmt::format("https://127.0.0.1:{}", server.port),
                                             .ca_pem = envtest::content_of(server.ca_path),
                                             .token = Secret<std::string>(server.token)},
                                            {.rate_limit = {.qps = 0}}));
    std::ofstream list(folder_.path() / "drivers.yaml");
    list << "drivers:\n";
    for (const auto& [name, script] : drivers) {
      start_driver(name, script);
      list << fmt::format("- {{name: {}, endpoint: 'unix:{}'}}\n", name, socket(name).string());
    }
    list.close();
    start(
        "provider",
        {place_.programs + "/capstan-provider", "--kubeconfig=" + server.kubeconfig_path,
         "--providers=infrastructure",
         drivers.empty() ? "--driver=simulated" : "--drivers=" + (folder_.path() / "drivers.yaml").string(),
         "--health-addr=0", "--diagnostics-address=0", "--kube-api-qps=1000000", "--kube-api-burst=1000000"});
    add_cluster();
  }

  void make(int machines, const std::string& driver, std::string_view prefix) {
    for (int i = 0; i < machines; ++i) add_machine(fmt::format("{}-{}", prefix, i), driver);
  }
  // From the creation of the first one to the last VM.
  double seconds_to_provision(std::string_view prefix) {
    return seconds_to_provision(kMachines, "answers", prefix);
  }
  double seconds_to_provision(int machines, const std::string& driver, std::string_view prefix) {
    const SteadyTime begun = clock_.steady_now();
    make(machines, driver, prefix);
    const Deadline limit = Deadline::in(clock_, seconds(120));
    while (provisioned(prefix) < machines) {
      if (limit.passed(clock_.steady_now()))
        throw std::runtime_error(fmt::format("{} of {} have a VM: {}", provisioned(prefix), machines,
                                             envtest::content_of(folder_.path() / "provider.log")));
      threads_.pause(Deadline::in(clock_, milliseconds(20)));
    }
    return std::chrono::duration<double>(clock_.steady_now() - begun).count();
  }
  double provider_cpu_ms() const {
    return std::chrono::duration<double, std::milli>(envtest::cpu_time_of(processes_.back().pid())).count();
  }

 private:
  fs::path socket(std::string_view driver) const { return folder_.path() / fmt::format("{}.sock", driver); }
  void start_driver(std::string_view name, std::string_view script) {
    const fs::path faults = folder_.path() / fmt::format("{}.yaml", name);
    std::ofstream(faults) << script;
    start(std::string(name), {place_.programs + "/capstan-dev", "driver",
                              "--listen=unix:" + socket(name).string(), "--faults=" + faults.string()});
    const Deadline limit = Deadline::in(clock_, seconds(30));
    while (!fs::exists(socket(name))) {
      if (limit.passed(clock_.steady_now())) throw std::runtime_error("the driver does not listen");
      threads_.pause(Deadline::in(clock_, milliseconds(20)));
    }
  }
  void start(const std::string& name, const std::vector<std::string>& argv) {
    processes_.push_back(must(envtest::ChildProcess::start({.argv = {argv.begin(), argv.end()}},
                                                           folder_.path() / (name + ".log"))));
  }

  template <typename T>
  T put(const T& object) {
    return must(kube::create(*client_, object, {}, soon()));
  }
  template <typename T>
  api::OwnerReferences owned_by(const T& owner) const {
    return api::OwnerReferences({{.api_version = Text(api::kApiVersion),
                                  .kind = Text(api::resource<T>.kind),
                                  .name = owner.metadata.name,
                                  .uid = owner.metadata.uid}});
  }
  void add_cluster() {
    api::Cluster cluster = builders::a_cluster("c1").without_control_plane_ref();
    cluster.metadata.uid = {};
    cluster.metadata.resource_version = {};
    cluster.spec.infrastructure_ref->kind = "DriverCluster"_text;
    cluster = put(cluster);
    api::DriverCluster infrastructure;
    infrastructure.metadata.name = "c1"_text;
    infrastructure.metadata.namespace_ = "default"_text;
    infrastructure.metadata.labels.set(api::label::kClusterName, "c1");
    infrastructure.metadata.owner_references = owned_by(cluster);
    infrastructure.spec.control_plane_endpoint = {.host = "127.0.0.1"_text, .port = 6443};
    put(infrastructure);
    api::Cluster provisioned = cluster;
    provisioned.status.initialization.infrastructure_provisioned = true;
    must(kube::patch_status(*client_, cluster, provisioned, soon()));
  }
  void add_machine(const std::string& name, const std::string& driver) {
    const kube::ObjectKey key{.namespace_ = "default", .name = name};
    must(client_->create(kube::resources::secrets(), key,
                         {{"apiVersion", "v1"},
                          {"kind", "Secret"},
                          {"metadata", {{"name", name}, {"namespace", "default"}}},
                          {"data", {{"value", "I2Nsb3VkLWNvbmZpZwo="}}}},
                         {}, soon()));
    api::Machine machine = builders::a_machine(name).version("v1.35.0");
    machine.metadata.uid = {};
    machine.metadata.resource_version = {};
    machine.spec.infrastructure_ref = {
        .api_group = Text(api::group::kInfrastructure), .kind = "DriverMachine"_text, .name = Text(name)};
    machine.spec.bootstrap.data_secret_name = Text(name);
    machine = put(machine);
    api::DriverMachine vm;
    vm.metadata.name = Text(name);
    vm.metadata.namespace_ = "default"_text;
    vm.metadata.labels.set(api::label::kClusterName, "c1");
    vm.metadata.owner_references = owned_by(machine);
    vm.spec.driver = Text(driver);
    put(vm);
  }
  int provisioned(std::string_view prefix) {
    const auto listed = must(client_->list(kube::resource_of<api::DriverMachine>(), {}, soon()));
    int count = 0;
    for (const json::value& vm : listed.at("items").as_array()) {
      boost::system::error_code error;
      const json::value* done = vm.find_pointer("/status/initialization/provisioned", error);
      const bool counts = vm.at("metadata").at("name").as_string().starts_with(prefix);
      if (counts && done != nullptr && done->is_bool() && done->get_bool()) ++count;
    }
    return count;
  }
  Deadline soon() const { return Deadline::in(clock_, seconds(30)); }

  const Place& place_;
  SystemClock clock_;
  SystemThreads threads_;
  std::unique_ptr<conformance::Embedded> server_;
  envtest::ScratchFolder folder_;
  std::vector<envtest::ChildProcess> processes_ = {};
  net::IoPool io_{1};
  std::unique_ptr<kube::RemoteClient> client_;
};

double cpu_ms_per_machine(const Place& place, const DriverPrograms::Scripts& drivers) {
  DriverPrograms ground(place, drivers);
  const std::string driver = drivers.empty() ? "simulated" : drivers.begin()->first;
  ground.seconds_to_provision(kAtOnce, driver, "first");
  const double before = ground.provider_cpu_ms();
  for (int i = 0; i < kBatches; ++i) ground.seconds_to_provision(kAtOnce, driver, fmt::format("b{}", i));
  return (ground.provider_cpu_ms() - before) / (kAtOnce * kBatches);
}

}  // namespace

double driver_hang_ratio(const Place& place) {
  DriverPrograms ground(place, {{"answers", kAnswers}, {"hangs", kHangs}});
  ground.seconds_to_provision("first");  // everything is connected
  const double alone = ground.seconds_to_provision("alone");
  ground.make(kHung, "hangs", "hung");
  const double beside = ground.seconds_to_provision("beside");
  say(fmt::format("{} Machines have their VMs after {:.2f} s, {:.2f} s beside {} of a driver that hangs",
                  kMachines, alone, beside, kHung));
  return beside / alone;
}

// In turns, for a busy machine is busy for both.
double driver_cpu_ratio(const Place& place) {
  double inside = 0;
  double remote = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    inside += cpu_ms_per_machine(place, {}) / kTurns;
    remote += cpu_ms_per_machine(place, {{"remote", kAsInside}}) / kTurns;
  }
  say(fmt::format("CPU of the provider for a Machine: {:.2f} ms, {:.2f} ms with a driver of its own", inside,
                  remote));
  return remote / inside;
}

}  // namespace capstan::bench
