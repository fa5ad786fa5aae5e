#include "test/simulation/fleet_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "api/core/node.h"
#include "api/driver/driver_machine.h"
#include "api/schema/crd.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_set.h"
#include "apiserver/api.h"
#include "bootstrap/provider.h"
#include "cmd/crdgen/kinds.h"
#include "infrastructure/provider.h"
#include "infrastructure/sim/kubelet.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/fakes/memory_client.h"
#include "test/simulation/fleet_manager.h"
#include "test/simulation/fleet_manifests.h"
#include "test/simulation/workload_servers.h"

namespace capstan::simulation {
namespace {

using namespace std::chrono_literals;
using fakes::Baton;
using fakes::Call;
using fakes::Fault;
using fakes::FaultPoint;
using fakes::FaultyClient;
using kube::ObjectKey;

constexpr Nanoseconds kLongestDelay = 10s;  // of slow, stale and late
constexpr Nanoseconds kDeadFor = 12s;       // nothing of a dead process is still under way after that
constexpr Nanoseconds kTimeToConverge = 40min;
constexpr Nanoseconds kTimeOfSilence = 11min;  // longer than any watch lives
constexpr std::array kVersions = {"v1.34.0", "v1.35.0"};
constexpr std::uint64_t kMostSwitches = 3'000'000;

const std::vector<json::value>& crds() {
  static const std::vector<json::value> all = [] {
    std::vector<json::value> made;
    for (const auto& versions : crdgen::kinds()) made.push_back(api::crd(versions));
    return made;
  }();
  return all;
}

infrastructure::sim::Script script_of(std::uint64_t seed) {
  infrastructure::sim::Script script{.seed = seed};
  script.lease_every = {};
  script.status_every = {};
  return script;
}

class World {
 public:
  World(Baton& baton, const FleetOptions& options, FleetVerdict& verdict)
      : baton_(baton),
        options_(options),
        verdict_(verdict),
        api_({.clock = baton, .seed = options.seed}),
        user_(api_, baton, {.user = "user", .user_agent = "kubectl/1"}),
        manager_wire_(api_, baton, {.user = "manager", .user_agent = "manager/1"}),
        provider_wire_(api_, baton, {.user = "provider", .user_agent = "provider/1"}),
        manager_network_(manager_wire_, baton, baton, plan()),
        provider_network_(provider_wire_, baton, baton, plan()),
        workload_(baton, baton, options.seed * 1000),
        cloud_({.clock = baton, .threads = baton}, script_of(options.seed)),
        kubelets_({.clock = baton, .threads = baton, .cloud = cloud_, .control_planes = workload_}, 1) {}

  void live() {
    install();
    kubelets_.start();
    {
      const auto garbage =
          baton_.spawn("garbage collector", [this](const std::stop_token& stop) { collect(stop); });
      const auto manager = supervised("manager", [this](std::uint64_t starts, const std::stop_token& stop) {
        run_manager(starts, stop);
      });
      const auto provider = supervised("provider", [this](std::uint64_t starts, const std::stop_token& stop) {
        run_providers(starts, stop);
      });
      use();
      calm_down();
      expect_convergence();
      expect_silence();
      expect_clean_end();
    }
    kubelets_.stop();
  }

 private:
  // --- faults ---
  fakes::FaultPlan plan() {
    return {.choose = [this](const FaultPoint& point) { return choose(point); },
            .span =
                [this] {
                  return Nanoseconds(1ms) * static_cast<std::int64_t>(1 + baton_.draw(kLongestDelay / 1ms));
                },
            .crash = [this] { baton_.crash(std::string(baton_.process())); },
            .crashing = [this] { return baton_.crashing(); },
            .spawn_outside =
                [this](Threads::Body body) { return baton_.spawn_process("network", std::move(body)); }};
  }

  Fault choose(const FaultPoint&) { return Fault::None; }

  void calm_down() {
    raging_ = false;
    tell("the faults stop");
  }

  // --- processes ---
  std::unique_ptr<Thread> supervised(std::string name,
                                     std::function<void(std::uint64_t starts, const std::stop_token&)> body) {
    return baton_.spawn(
        "supervisor of the " + name, [this, name, body = std::move(body)](const std::stop_token& stop) {
          for (std::uint64_t starts = 0; !stop.stop_requested(); ++starts) {
            if (starts > 0)
              rest(kDeadFor + Nanoseconds(1ms) * static_cast<std::int64_t>(baton_.draw(10'000)), stop);
            if (stop.stop_requested()) return;
            tell(fmt::format("the {} starts", name));
            const auto head =
                baton_.spawn_process(name, [&](const std::stop_token& until) { body(starts, until); });
            const std::stop_callback pass_on(stop, [&] { head->request_stop(); });
            head->join();
            if (!stop.stop_requested()) ++verdict_.crashes;
          }
        });
  }

  void run_manager(std::uint64_t starts, const std::stop_token& stop) {
    FleetManager manager(
        {.clock = baton_,
         .threads = baton_,
         .client = manager_network_,
         .dial = workload_.dial([this](kube::Client& server) -> kube::Client& { return network_to(server); }),
         .seed = options_.seed * 1000 + starts});
    manager.run(stop);
  }

  // One network per workload API server, as long as the world.
  kube::Client& network_to(kube::Client& server) {
    return workload_networks_.with([&](auto& networks) -> kube::Client& {
      auto& network = networks[&server];
      if (!network) network = std::make_unique<FaultyClient>(server, baton_, baton_, plan());
      return *network;
    });
  }

  void run_providers(std::uint64_t starts, const std::stop_token& stop) {
    SeededRandomness randomness(options_.seed * 1000 + 500 + starts);
    infrastructure::Provider infrastructure({.clock = baton_,
                                             .threads = baton_,
                                             .client = provider_network_,
                                             .driver = cloud_,
                                             .control_planes = workload_,
                                             .randomness = randomness},
                                            {.machine_concurrency = 3, .cluster_concurrency = 1});
    bootstrap::Provider bootstrap(
        {.clock = baton_, .threads = baton_, .client = provider_network_, .randomness = randomness},
        {.concurrency = 2});
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
      rest(Nanoseconds(1ms) * static_cast<std::int64_t>(baton_.draw(3000)), stop);
      while (api_.run_controllers()) baton_.switch_point("garbage collector");
      baton_.wait(work, seen, Deadline::never(stop));
    }
    api_.on_work({});
  }

  // --- the user ---
  void install() {
    for (const json::value& crd : crds())
      must(user_.create(kube::resources::custom_resource_definitions(), {}, crd, {}, Deadline::never()),
           "install a kind");
  }

  void use() {
    raging_ = options_.faults;
    version_ = kVersions[0];
    replicas_ = 1 + static_cast<int>(baton_.draw(3));
    const Rollout rollout =
        baton_.draw(2) == 0 ? Rollout{.surge = 1, .unavailable = 0} : Rollout{.surge = 0, .unavailable = 1};
    tell(fmt::format("user: a cluster with {} workers, surge {}, unavailable {}", replicas_, rollout.surge,
                     rollout.unavailable));
    for (const Document& each : cluster_documents(version_)) put(each);
    put(deployment_document(version_, replicas_, rollout));
    rest(60s);
    const std::uint64_t acts = 2 + baton_.draw(4);
    for (std::uint64_t i = 0; i < acts; ++i) {
      rest(Nanoseconds(1ms) * static_cast<std::int64_t>(baton_.draw(90'000)));
      switch (baton_.draw(3)) {
        case 0: scale(1 + static_cast<int>(baton_.draw(4))); break;
        case 1: roll(); break;
        default: delete_some_machine(); break;
      }
    }
  }

  void put(const Document& what) {
    const ObjectKey key = named(what.object.at("metadata").at("name").as_string());
    must(user_.create(what.resource, key, what.object, {}, Deadline::never()),
         "create " + what.resource.kind);
  }

  void scale(int replicas) {
    tell(fmt::format("user: scales from {} to {}", replicas_, replicas));
    replicas_ = replicas;
    change_deployment({{"spec", {{"replicas", replicas}}}});
  }

  void roll() {
    version_ = version_ == kVersions[0] ? kVersions[1] : kVersions[0];
    tell(fmt::format("user: rolls to {}", version_));
    change_deployment({{"spec", {{"template", {{"spec", {{"version", version_}}}}}}}});
  }

  void change_deployment(const json::value& patch) {
    must(user_.patch(kube::resource_of<api::MachineDeployment>(), named(kDeployment), patch, {},
                     Deadline::never()),
         "change the MachineDeployment");
  }

  void delete_some_machine() {
    for (const auto& machine : all<api::Machine>()) {
      if (machine.metadata.deleting() || machine.metadata.name == kControlPlane) continue;
      tell(fmt::format("user: deletes {}", machine.metadata.name.view()));
      (void)kube::remove<api::Machine>(user_, kube::key_of(machine), {}, Deadline::never());
      return;
    }
  }

  // --- promises ---
  void expect_convergence() {
    rest(kLongestDelay);  // what is still under way
    const SteadyTime until = baton_.steady_now() + kTimeToConverge;
    while (!missing().empty() && baton_.steady_now() < until) rest(1s);
    if (const auto lacks = missing(); !lacks.empty()) return broke("no convergence: " + lacks);
    tell("the fleet is as wished");
  }

  // What is not yet as wished; empty: nothing.
  std::string missing() {
    const auto count = [&](std::string_view what, std::size_t is, std::size_t wanted) {
      return is == wanted ? std::string() : fmt::format("{} {}, {} wanted; ", is, what, wanted);
    };
    const auto workers = static_cast<std::size_t>(replicas_);
    std::string text = count("VMs", cloud_.vms().size(), workers + 1);
    text += count("Machines", stored<api::Machine>(), workers + 1);
    text += count("MachineSets", stored<api::MachineSet>(), 1);
    text += count("DriverMachines", stored<api::DriverMachine>(), workers + 1);
    text += count("CloudConfigs", stored("bootstrap.cluster.x-k8s.io", "cloudconfigs"), workers + 1);
    apiserver::Api* const workload = workload_.api(named(kCluster));
    text += count("Nodes", workload == nullptr ? 0 : workload->stored_all("", "nodes").size(), workers + 1);
    for (const auto& machine : all<api::Machine>()) {
      if (machine.metadata.name != kControlPlane && machine.spec.version != std::string_view(version_))
        text += fmt::format("{} is {}; ", machine.metadata.name.view(), machine.spec.version.view());
    }
    const auto deployments = all<api::MachineDeployment>();
    if (deployments.empty()) return text + "no MachineDeployment";
    const auto& status = deployments.front().status;
    text += count("replicas", static_cast<std::size_t>(status.replicas.value_or(0)), workers);
    text += count("available", static_cast<std::size_t>(status.available_replicas.value_or(0)), workers);
    text += count("up to date", static_cast<std::size_t>(status.up_to_date_replicas.value_or(0)), workers);
    if (status.observed_generation != deployments.front().metadata.generation) text += "not observed; ";
    return text;
  }

  // Nothing happens, nothing is asked: only watches are renewed and workload clusters probed.
  void expect_silence() {
    rest(2min);
    const std::uint64_t before = requests();
    rest(kTimeOfSilence);
    if (requests() != before) broke(fmt::format("{} requests while nothing happened", requests() - before));
  }

  void expect_clean_end() {
    tell("user: deletes the cluster");
    must(user_.remove(kube::resource_of<api::Cluster>(), named(kCluster), {}, Deadline::never()),
         "delete the Cluster");
    const SteadyTime until = baton_.steady_now() + kTimeToConverge;
    while (!left().empty() && baton_.steady_now() < until) rest(1s);
    if (const auto what = left(); !what.empty())
      broke("the cluster was deleted, and what is left is " + what);
  }

  std::string left() {
    std::string text;
    for (const auto& type : api_.types()) {
      if (!type->group.ends_with("cluster.x-k8s.io")) continue;
      for (const auto& object : api_.stored_all(type->group, type->plural))
        text += fmt::format("{} {}; ", type->kind,
                            std::string_view(object->at("metadata").at("name").as_string()));
    }
    if (!cloud_.vms().empty()) text += fmt::format("{} VMs; ", cloud_.vms().size());
    return text;
  }

  // --- looking ---
  std::size_t stored(std::string_view group, std::string_view plural) const {
    return api_.stored_all(group, plural).size();
  }
  template <typename T>
  std::size_t stored() const {
    return stored(api::resource<T>.group, api::resource<T>.plural);
  }
  template <typename T>
  std::vector<T> all() const {
    std::vector<T> found;
    for (const auto& object : api_.stored_all(api::resource<T>.group, api::resource<T>.plural))
      found.push_back(api::from_json<T>(json::value(*object)).value());
    return found;
  }

  static std::uint64_t requests(const FaultyClient& network) {
    std::uint64_t count = 0;
    for (const auto& [what, times] : network.fired()) {
      const bool streamed =
          what.first == Call::ListStream || what.first == Call::Watch || what.first == Call::Piece;
      count += streamed ? 0 : times;
    }
    return count;
  }
  std::uint64_t requests() const { return requests(manager_network_) + requests(provider_network_); }

  // --- small things ---
  void rest(Nanoseconds span, std::stop_token stop = {}) {
    baton_.pause(Deadline::in(baton_, span, std::move(stop)));
  }

  void must(const Result<json::value>& answer, std::string_view what) {
    if (!answer) broke(fmt::format("{}: {}", what, answer.error().describe()));
  }

  void broke(std::string what) {
    tell("BROKEN: " + what);
    if (verdict_.broken.empty()) verdict_.broken = std::move(what);
  }

  void tell(std::string_view line) const {
    if (!options_.story) return;
    const Nanoseconds at = baton_.steady_now().time_since_epoch() - 1h;
    options_.story(fmt::format("{:>9.3f}  {}", std::chrono::duration<double>(at).count(), line));
  }

  Baton& baton_;
  const FleetOptions& options_;
  FleetVerdict& verdict_;
  bool raging_ = false;
  std::string version_;
  int replicas_ = 0;
  apiserver::Api api_;
  fakes::MemoryClient user_;
  fakes::MemoryClient manager_wire_;
  fakes::MemoryClient provider_wire_;
  FaultyClient manager_network_;
  FaultyClient provider_network_;
  WorkloadServers workload_;
  Guarded<std::map<kube::Client*, std::unique_ptr<FaultyClient>>> workload_networks_;
  infrastructure::sim::SimCloud cloud_;
  infrastructure::sim::Kubelets kubelets_;
};

}  // namespace

FleetVerdict simulate_fleet(const FleetOptions& options) {
  FleetVerdict verdict;
  Baton baton({.seed = options.seed,
               .max_switches = kMostSwitches,
               .slips_per_thousand = 2,
               .story = options.switches});
  verdict.run = baton.run([&] {
    World world(baton, options, verdict);
    world.live();
  });
  if (!verdict.run.finished() && verdict.broken.empty()) verdict.broken = verdict.run.why;
  return verdict;
}

}  // namespace capstan::simulation
