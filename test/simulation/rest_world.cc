#include "test/simulation/rest_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "api/v1beta2/machine_deployment.h"
#include "apiserver/api.h"
#include "bootstrap/provider.h"
#include "infrastructure/provider.h"
#include "infrastructure/sim/kubelet.h"
#include "kube/resources.h"
#include "test/fakes/baton.h"
#include "test/fakes/memory_client.h"
#include "test/fakes/relay_client.h"
#include "test/simulation/fleet_manager.h"
#include "test/simulation/fleet_manifests.h"
#include "test/simulation/workload_servers.h"

namespace capstan::simulation {
namespace {

using namespace std::chrono_literals;
using fakes::Asked;
using fakes::Baton;
using fakes::Call;
using fakes::RelayClient;

constexpr std::uint64_t kMostSwitches = 4'000'000'000;
constexpr std::size_t kTold = 10;
constexpr Nanoseconds kTimeToStand = 6h;
constexpr Nanoseconds kTimeToSettle = 5min;
constexpr std::size_t kHistory = 4096;  // objects are large, and no watch lags behind for long

struct Counts {
  std::uint64_t requests = 0;
  std::uint64_t watches = 0;
  std::uint64_t probes = 0;
  std::vector<std::string> told = {};  // of requests, the first ones
  std::uint64_t writes = 0;            // Events apart
  std::vector<std::string> written = {};
};

class Counting final : public RelayClient {
 public:
  Counting(kube::Client& inner, Counts& counts) : RelayClient(inner), counts_(counts) {}

 protected:
  std::optional<Error> sending(const Asked& asked) override {
    if (asked.call == Call::ListStream || asked.call == Call::Watch) {
      ++counts_.watches;
    } else if (asked.resource == nullptr && asked.key.name == "/") {
      ++counts_.probes;
    } else {
      ++counts_.requests;
      note(asked, counts_.told);
      if (fakes::is_write(asked.call) && !asked.is("Event")) {
        ++counts_.writes;
        note(asked, counts_.written);
      }
    }
    return {};
  }

 private:
  static void note(const Asked& asked, std::vector<std::string>& in) {
    if (in.size() >= kTold) return;
    in.push_back(asked.describe() + (asked.body ? " " + json::serialize(*asked.body) : ""));
  }

  Counts& counts_;
};

infrastructure::sim::Script quiet_script() {
  infrastructure::sim::Script script;
  script.lease_every = {};  // those are not watched
  return script;
}

// The names of one cluster of many.
json::value renamed(const json::value& value, const std::string& suffix) {
  if (const auto* text = value.if_string()) {
    for (const std::string_view name : {kCluster, kControlPlane, kDeployment})
      if (*text == name) return json::value(std::string(name) + suffix);
    return value;
  }
  if (const auto* list = value.if_array()) {
    json::array all;
    for (const json::value& each : *list) all.push_back(renamed(each, suffix));
    return all;
  }
  const auto* object = value.if_object();
  if (object == nullptr) return value;
  json::object all;
  for (const auto& [name, each] : *object) all.emplace(name, renamed(each, suffix));
  return all;
}

class RestWorld {
 public:
  RestWorld(Baton& baton, const RestOptions& options, RestReport& report)
      : baton_(baton),
        options_(options),
        report_(report),
        api_({.clock = baton, .seed = options.seed, .history = kHistory}),
        users_(api_, baton, {.user = "user", .user_agent = "kubectl/1"}),
        manager_wire_(api_, baton, {.user = "manager", .user_agent = "manager/1"}),
        manager_client_(manager_wire_, counts_),
        provider_client_(api_, baton, {.user = "provider", .user_agent = "provider/1"}),
        workload_(baton, baton, options.seed * 1000),
        cloud_({.clock = baton, .threads = baton}, quiet_script()),
        kubelets_({.clock = baton, .threads = baton, .cloud = cloud_, .control_planes = workload_}, 4) {}

  void live() {
    for (const json::value& crd : fleet_kinds())
      must(users_.create(kube::resources::custom_resource_definitions(), {}, crd, {}, Deadline::never()));
    kubelets_.start();
    {
      const auto garbage =
          baton_.spawn("garbage collector", [this](const std::stop_token& stop) { collect(stop); });
      auto manager = start_manager();
      const auto provider =
          baton_.spawn_process("provider", [this](const std::stop_token& stop) { provide(stop); });
      create();
      if (await_standing()) {
        watch_it_rest();
        manager.reset();
        manager = start_manager();
        watch_it_start();
      }
    }
    kubelets_.stop();
  }

 private:
  std::unique_ptr<Thread> start_manager() {
    return baton_.spawn_process("manager", [this](const std::stop_token& stop) {
      FleetManager made(
          {.clock = baton_,
           .threads = baton_,
           .client = manager_client_,
           .dial = workload_.dial([this](kube::Client& to) -> kube::Client& { return line(to); }),
           .seed = options_.seed});
      made.run(stop);
    });
  }

  void provide(const std::stop_token& stop) {
    SeededRandomness randomness(options_.seed);
    infrastructure::Provider infrastructure({.clock = baton_,
                                             .threads = baton_,
                                             .client = provider_client_,
                                             .drivers = cloud_,
                                             .control_planes = workload_,
                                             .randomness = randomness});
    bootstrap::Provider bootstrap(
        {.clock = baton_, .threads = baton_, .client = provider_client_, .randomness = randomness});
    const Deadline deadline = Deadline::in(baton_, 5min, stop);
    if (!infrastructure.start(deadline)) return;
    if (bootstrap.start(deadline)) {
      baton_.pause(Deadline::never(stop));
      bootstrap.stop();
    }
    infrastructure.stop();
  }

  void collect(const std::stop_token& stop) {
    Signal work("work for the garbage collector");
    api_.on_work([&] { work.notify(); });
    while (!stop.stop_requested()) {
      const auto seen = work.count();
      baton_.pause(Deadline::in(baton_, 1s, stop));
      while (api_.run_controllers()) baton_.switch_point("garbage collector");
      baton_.wait(work, seen, Deadline::never(stop));
    }
    api_.on_work({});
  }

  void create() {
    const std::string version = "v1.35.0";
    const Fleet fleet{.version = version, .replicas = options_.machines / options_.clusters};
    for (int i = 1; i <= options_.clusters; ++i) {
      auto documents = cluster_documents(version);
      documents.push_back(deployment_document(fleet));
      for (const Document& each : documents) {
        const auto object = renamed(each.object, fmt::format("-{}", i));
        const auto key = named(object.at("metadata").at("name").as_string());
        must(users_.create(each.resource, key, object, {}, Deadline::never()));
      }
    }
  }

  bool await_standing() {
    const SteadyTime until = baton_.steady_now() + kTimeToStand;
    while (available() < options_.machines / options_.clusters * options_.clusters) {
      if (baton_.steady_now() > until) {
        report_.broken = fmt::format("{} Machines stand, {} were wanted", available(), options_.machines);
        return false;
      }
      baton_.pause(Deadline::in(baton_, 10s));
      tell(fmt::format("{} Machines stand", available()));
    }
    baton_.pause(Deadline::in(baton_, kTimeToSettle));
    return true;
  }

  void watch_it_rest() {
    counts_ = {};
    tell("watching it rest");
    baton_.pause(Deadline::in(baton_, options_.span));
    report_.requests = counts_.requests;
    report_.watches = counts_.watches;
    report_.probes = counts_.probes;
    report_.told = counts_.told;
  }

  void watch_it_start() {
    counts_ = {};
    tell("watching it start again");
    baton_.pause(Deadline::in(baton_, kTimeToSettle));
    report_.writes_after_restart = counts_.writes;
    report_.written = counts_.written;
  }

  int available() const {
    using Kind = api::MachineDeployment;
    std::int64_t sum = 0;
    for (const auto& object : api_.stored_all(api::resource<Kind>.group, api::resource<Kind>.plural)) {
      json::error_code none;
      const json::value* status = object->if_contains("status");
      const json::value* number =
          status == nullptr ? nullptr : status->find_pointer("/availableReplicas", none);
      if (number != nullptr && number->is_int64()) sum += number->get_int64();
    }
    return static_cast<int>(sum);
  }

  kube::Client& line(kube::Client& server) {
    auto& client = lines_[&server];
    if (!client) client = std::make_unique<Counting>(server, counts_);
    return *client;
  }

  void must(const Result<json::value>& made) {
    if (!made && report_.broken.empty()) report_.broken = made.error().describe();
  }

  void tell(std::string_view line) const {
    if (!options_.story) return;
    const Nanoseconds at = baton_.steady_now().time_since_epoch() - 1h;
    options_.story(fmt::format("{:>9.3f}  {}", std::chrono::duration<double>(at).count(), line));
  }

  Baton& baton_;
  const RestOptions& options_;
  RestReport& report_;
  Counts counts_;
  apiserver::Api api_;
  fakes::MemoryClient users_;
  fakes::MemoryClient manager_wire_;
  Counting manager_client_;
  fakes::MemoryClient provider_client_;
  WorkloadServers workload_;
  infrastructure::sim::SimCloud cloud_;
  infrastructure::sim::Kubelets kubelets_;
  std::map<kube::Client*, std::unique_ptr<Counting>> lines_ = {};
};

}  // namespace

RestReport rest(const RestOptions& options) {
  RestReport report;
  Baton baton({.seed = options.seed, .max_switches = kMostSwitches});
  const auto run = baton.run([&] {
    RestWorld world(baton, options, report);
    world.live();
  });
  if (!run.finished() && report.broken.empty()) report.broken = run.why;
  return report;
}

}  // namespace capstan::simulation
