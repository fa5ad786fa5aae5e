#include "test/simulation/fleet_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "api/conditions/conditions.h"
#include "api/driver/driver_machine.h"
#include "api/names.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"
#include "apiserver/api.h"
#include "bootstrap/provider.h"
#include "infrastructure/provider.h"
#include "infrastructure/sim/kubelet.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/fakes/memory_client.h"
#include "test/simulation/auditor.h"
#include "test/simulation/brake_auditor.h"
#include "test/simulation/driver_process.h"
#include "test/simulation/fleet_apps.h"
#include "test/simulation/fleet_manager.h"
#include "test/simulation/fleet_user.h"

namespace capstan::simulation {
namespace {

using namespace std::chrono_literals;
using fakes::Baton;
using fakes::Call;
using fakes::Fault;
using fakes::FaultPoint;
using fakes::FaultyClient;
using fakes::RelayClient;

constexpr Nanoseconds kLongestDelay = 10s;  // of slow, stale and late
constexpr Nanoseconds kDeadFor = 12s;       // nothing of a dead process is still under way after that
constexpr Nanoseconds kTimeToConverge = 60min;
constexpr Nanoseconds kTimeOfSilence = 11min;  // longer than any watch lives
constexpr Nanoseconds kTimeToStart = 3min;     // and to have looked at everything
constexpr std::size_t kTold = 10;
constexpr std::uint64_t kMostSwitches = 3'000'000;
constexpr std::uint64_t kEventsSpared = 8;  // of so many faults on Events one is let happen: they are advice

// Of its clumsy user; none where it has none.
std::vector<ClumsyAct> acts_of(const FleetOptions& options) {
  if (!options.always_clumsy && !has_clumsy_user(options.seed)) return {};
  return {options.clumsy_acts.begin(), options.clumsy_acts.end()};
}

bool is_braked(const FleetOptions& options) { return has_brakes(options.seed) && acts_of(options).empty(); }

// A slow cloud, sometimes, that loses answers now and then.
infrastructure::sim::Script script_of(Baton& baton, bool faults, bool brakes) {
  using infrastructure::DriverCode;
  using infrastructure::sim::SimVerb;
  infrastructure::sim::Script script{.seed = baton.draw(1'000'000)};
  script.lease_every = {};
  script.status_every = {};
  if (!faults) return script;
  static constexpr std::array<Nanoseconds, 3> kLatencies = {200ms, 3s, 20s};
  script.latency.create = kLatencies[baton.draw(kLatencies.size())];
  script.latency.remove = kLatencies[baton.draw(kLatencies.size())];
  script.latency.jitter_percent = 30;
  script.ready_after = Nanoseconds(1ms) * static_cast<std::int64_t>(baton.draw(10'000));
  script.list_lag = baton.draw(2) == 0 ? 0s : 3s;
  const auto percent = static_cast<std::int32_t>(baton.draw(30));
  script.faults = {{.verb = SimVerb::Create,
                    .code = DriverCode::Unknown,
                    .percent = percent,
                    .total = 3,
                    .happened = true},
                   {.verb = SimVerb::Create, .code = DriverCode::Unavailable, .percent = percent, .total = 3},
                   {.verb = SimVerb::Remove,
                    .code = DriverCode::Unknown,
                    .percent = percent,
                    .total = 2,
                    .happened = true},
                   {.verb = SimVerb::Status, .code = DriverCode::Internal, .percent = percent, .total = 3}};
  if (!brakes) return script;
  // For the collector of orphans: lists that are old, partial or throttled.
  script.faults.push_back({.verb = SimVerb::List, .late = 60s, .percent = 30, .total = 6});
  script.faults.push_back({.verb = SimVerb::List, .missing_percent = 50, .percent = 20, .total = 4});
  script.faults.push_back(
      {.verb = SimVerb::List, .code = DriverCode::ResourceExhausted, .percent = 10, .total = 3});
  return script;
}

// With brakes the collector deletes, as often as it may.
infrastructure::OrphanSettings orphan_settings(bool deletes) {
  if (!deletes) return {};
  return {.action = infrastructure::OrphanAction::Delete, .period = Seconds(120)};
}

std::string shape(const Asked& asked) {
  return fmt::format("{} {}{}{}", asked.apply ? "apply" : to_string(asked.call),
                     asked.resource == nullptr ? std::string_view("path") : asked.resource->kind,
                     asked.subresource.empty() ? "" : "/", asked.subresource);
}

// Threads that never hand the baton on: what is asked through them happens in one moment.
class OneMoment final : public Threads {
 public:
  explicit OneMoment(Threads& inner) : inner_(inner) {}
  std::unique_ptr<Thread> spawn(std::string name, Body body) override {
    return inner_.spawn(std::move(name), std::move(body));
  }
  Woken wait(Signal& signal, std::uint64_t seen, const Deadline& deadline) override {
    return inner_.wait(signal, seen, deadline);
  }
  void switch_point(std::string_view) override {}

 private:
  Threads& inner_;
};

// "machineset-2" -> "machineset"; its threads that make Machines count as it.
std::string controller_of(std::string_view thread) {
  if (thread == "create machine") return "machineset";
  const auto end = thread.find_last_not_of("0123456789");
  return std::string(
      thread.substr(0, end != std::string_view::npos && thread[end] == '-' ? end : thread.size()));
}

class FleetWorld {
 public:
  FleetWorld(Baton& baton, const FleetOptions& options, FleetVerdict& verdict)
      : baton_(baton),
        options_(options),
        verdict_(verdict),
        api_({.clock = baton, .seed = options.seed}),
        users_(api_, baton, {.user = "user", .user_agent = "kubectl/1"}),
        at_once_(api_, one_moment_, {.user = "user", .user_agent = "kubectl/1"}),
        manager_wire_(api_, baton, {.user = "manager", .user_agent = "manager/1"}),
        provider_wire_(api_, baton, {.user = "provider", .user_agent = "provider/1"}),
        workload_(baton, baton, options.seed * 1000),
        script_(script_of(baton, options.faults, is_braked(options))),
        cloud_({.clock = baton, .threads = baton}, script_),
        driver_process_({.baton = baton,
                         .cloud = cloud_,
                         .raging = [this] { return raging_; },
                         .tell = [this](std::string_view line) { tell(line); }}),
        kubelets_({.clock = baton, .threads = baton, .cloud = cloud_, .control_planes = workload_}, 1),
        brakes_({.baton = baton,
                 .api = api_,
                 .away_since = [this] { return workload_.lost_since(); },
                 .broke = [this](std::string what) { broke(std::move(what)); },
                 .vms = [this] { return cloud_.vms(); },
                 .has_vanished = [this](const std::string& vm) { return user_.has_lost(vm); },
                 .node_of = [this](const std::string& pod) { return auditor_.node_of_pod(pod); }}),
        auditor_({.baton = baton,
                  .api = api_,
                  .cloud = cloud_,
                  .workload = [this] { return workload_.api(named(kCluster)); },
                  .lost = [this] { return workload_.lost() || workload_.refused(); },
                  .pods_needed = [this] { return has_apps_ ? apps_.needed() : 0; },
                  .broke = [this](std::string what) { broke(std::move(what)); },
                  .memory = has_brakes_ ? 15min : 3min}),
        apps_({.baton = baton,
               .workload = [this] { return workload_.api(named(kCluster)); },
               .tell = [this](std::string_view line) { tell(line); },
               .broke = [this](std::string what) { broke(std::move(what)); },
               .stepped = [this] { auditor_.look(); }}),
        clumsy_({.baton = baton,
                 .client = at_once_,
                 .api = api_,
                 .workload = [this] { return workload_.client(named(kCluster)); },
                 .auditor = auditor_,
                 .tell = [this](std::string_view line) { tell(line); },
                 .broke = [this](std::string what) { broke(std::move(what)); }},
                acts_of(options)),
        user_({.baton = baton,
               .client = users_,
               .at_once = at_once_,
               .cloud = cloud_,
               .workload = workload_,
               .auditor = auditor_,
               .tell = [this](std::string_view line) { tell(line); },
               .broke = [this](std::string what) { broke(std::move(what)); },
               .kill = [this](const std::string& process) { baton_.crash(process); },
               .close_budget = [this](Nanoseconds span) { apps_.close_budget(baton_.steady_now() + span); },
               .delay_deletion_of_node = [this] { late_deletion_ = true; },
               .delay_news_of_group = [this] { news_until_late_ = 2; },
               .lead_twice = [this](Nanoseconds span) { lead_twice(span); },
               .brakes = has_brakes_,
               .clumsy = clumsy_}),
        manager_network_(*this, manager_wire_),
        provider_network_(*this, provider_wire_) {
    calls_hit_ = baton.draw(80);
    pieces_hit_ = baton.draw(40);
    has_apps_ = baton.draw(2) == 0;
  }

  void live() {
    install();
    kubelets_.start();
    {
      std::unique_ptr<Thread> apps;
      if (has_apps_) apps = baton_.spawn("apps", [this](const std::stop_token& stop) { apps_.run(stop); });
      const auto garbage =
          baton_.spawn("garbage collector", [this](const std::stop_token& stop) { collect(stop); });
      const auto manager = supervised("manager", [this](std::uint64_t starts, const std::stop_token& stop) {
        run_manager(starts, stop);
      });
      const auto provider = supervised("provider", [this](std::uint64_t starts, const std::stop_token& stop) {
        run_providers(starts, stop);
      });
      use();
      expect_convergence();
      if (clumsy_.come_back()) expect_convergence();
      expect_silence();
      expect_nothing_to_say_after_a_restart();
      expect_clean_end();
    }
    kubelets_.stop();
    verdict_.acts = user_.acts();
    for (const auto& [what, times] : clumsy_.acts()) verdict_.acts[what] += times;
    for (const auto& [what, times] : driver_process_.acts()) verdict_.acts[what] += times;
    for (const auto& [what, times] : auditor_.came_of_pool()) verdict_.acts[what] += times;
    for (const std::string& name : cloud_.refused())
      ++verdict_.acts[name.starts_with(kPool) ? "no room for a pool's" : "no room for a Machine's"];
    verdict_.excused = auditor_.excused();
  }

 private:
  // One way to an API server: what is sent, what befalls it, what takes effect.
  class Network {
   public:
    Network(FleetWorld& world, kube::Client& server)
        : effects_(world, server),
          faulty_(effects_, world.baton_, world.baton_, world.plan()),
          sent_(world, faulty_) {}

    kube::Client& client() { return sent_; }
    std::uint64_t requests() const {
      std::uint64_t count = 0;
      for (const auto& [what, times] : faulty_.fired()) {
        const bool streamed =
            what.first == Call::ListStream || what.first == Call::Watch || what.first == Call::Piece;
        count += streamed ? 0 : times;
      }
      return count - sent_.probes();
    }

   private:
    class Effects final : public RelayClient {
     public:
      Effects(FleetWorld& world, kube::Client& inner) : RelayClient(inner), world_(world) {}

     protected:
      void answered(const Asked& asked, const Result<json::value>& answer) override {
        if (answer && fakes::is_write(asked.call)) world_.took_effect(asked, *answer);
      }

     private:
      FleetWorld& world_;
    };
    class Sent final : public RelayClient {
     public:
      Sent(FleetWorld& world, kube::Client& inner) : RelayClient(inner), world_(world) {}
      std::uint64_t probes() const { return probes_; }

     protected:
      std::optional<Error> sending(const Asked& asked) override {
        if (asked.resource == nullptr && asked.key.name == "/") ++probes_;
        world_.sending(asked);
        return {};
      }

     private:
      FleetWorld& world_;
      std::uint64_t probes_ = 0;
    };

    Effects effects_;
    FaultyClient faulty_;
    Sent sent_;
  };

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

  Fault choose(const FaultPoint& point) {
    if (!raging_) return Fault::None;
    const Fault due = fault_that_is_due(point);
    const Fault fault = due != Fault::None ? due : draw_fault(point);
    if (point.call == Call::Piece) {
      verdict_.faults.count_stream(point.kind, fault);
    } else if (fakes::is_write(point.call)) {
      verdict_.faults.count(gap_, fault);
    }
    if (fault != Fault::None)
      tell(fmt::format("fault: {} hits {} {} of {}", to_string(fault), to_string(point.call), point.kind,
                       baton_.who().name));
    return fault;
  }

  // Chance alone would leave rare writes out.
  Fault fault_that_is_due(const FaultPoint& point) {
    const bool of_node = point.call == Call::Remove && point.kind == "Node";
    if (of_node && gap_.controller == "machinepool" && std::exchange(late_deletion_, false))
      return Fault::Late;
    const bool of_group = point.call == Call::Piece && point.kind == "DriverMachinePool";
    if (of_group && news_until_late_ > 0 && baton_.process() == "manager") {
      --news_until_late_;
      if (news_until_late_ == 0) return Fault::Stale;
    }
    if (!fakes::is_write(point.call) || verdict_.faults.knows(gap_)) return Fault::None;
    return fault_due(gap_, options_.seed);
  }

  Fault draw_fault(const FaultPoint& point) {
    const bool piece = point.call == Call::Piece;
    if (baton_.draw(1000) >= (piece ? pieces_hit_ : calls_hit_)) return Fault::None;
    if (point.kind == "Event" && baton_.draw(kEventsSpared) != 0) return Fault::None;
    static constexpr std::array kOfPieces = {Fault::Stale, Fault::Stale, Fault::Cut, Fault::Expired};
    static constexpr std::array kOfReads = {Fault::Unavailable, Fault::RateLimited, Fault::Slow,
                                            Fault::CrashBefore};
    static constexpr std::array kOfWrites = {Fault::Unavailable, Fault::RateLimited, Fault::Slow,
                                             Fault::CrashBefore, Fault::CrashAfter,  Fault::Conflict,
                                             Fault::Timeout,     Fault::LostReply,   Fault::LostReply,
                                             Fault::Late,        Fault::Late};
    if (piece) return kOfPieces[baton_.draw(kOfPieces.size())];
    return fakes::is_write(point.call) ? kOfWrites[baton_.draw(kOfWrites.size())]
                                       : kOfReads[baton_.draw(kOfReads.size())];
  }

  void sending(const Asked& asked) {
    if (has_brakes_) brakes_.look();
    if (said_ && asked.call == Call::Read && asked.resource != nullptr) read_.push_back(told(asked));
    if (!fakes::is_write(asked.call) || baton_.crashing()) return;
    auditor_.sent(asked);
    if (said_ && !asked.is("Event")) said_->push_back(told(asked));
    const auto who = baton_.who();
    auto& last = last_write_[who.number];
    gap_ = {.controller = controller_of(who.name), .from = last.empty() ? "start" : last, .to = shape(asked)};
    last = gap_.to;
  }

  void took_effect(const Asked& asked, const json::value& answer) {
    if (options_.story && !asked.is("Event"))
      tell(fmt::format("{}: {}", baton_.process() == "network" ? "late" : baton_.who().name,
                       asked.describe()));
    if (has_brakes_) {
      brakes_.note(auditor_.facts());
      brakes_.took_effect(asked, auditor_.facts());
    }
    auditor_.took_effect(asked, answer);
  }

  // --- processes ---
  std::unique_ptr<Thread> supervised(const std::string& name,
                                     std::function<void(std::uint64_t starts, const std::stop_token&)> body) {
    return baton_.spawn(
        "supervisor of the " + name, [this, name, body = std::move(body)](const std::stop_token& stop) {
          for (std::uint64_t starts = 0; !stop.stop_requested(); ++starts) {
            if (starts > 0) {
              rest(kDeadFor + Nanoseconds(1ms) * static_cast<std::int64_t>(baton_.draw(10'000)), stop);
              if (!said_) ++verdict_.crashes;
            }
            if (stop.stop_requested()) return;
            tell(fmt::format("the {} starts", name));
            const auto head =
                baton_.spawn_process(name, [&](const std::stop_token& until) { body(starts, until); });
            const std::stop_callback pass_on(stop, [&] { head->request_stop(); });
            head->join();
          }
        });
  }

  void run_manager(std::uint64_t starts, const std::stop_token& stop) {
    FleetManager manager(manager_deps(options_.seed * 1000 + starts));
    const Audited audited(auditor_, manager);
    manager.run(stop);
  }

  // A second one beside the first, with caches of its own.
  void lead_twice(Nanoseconds span) {
    auditor_.another_leads(true);
    const auto rival = baton_.spawn_process("rival", [this](const std::stop_token& stop) {
      FleetManager manager(manager_deps(options_.seed * 1000 + 999));
      manager.run(stop);
    });
    rest(span);
    rival->request_stop();
    rival->join();
    auditor_.another_leads(false);
  }

  FleetManagerDeps manager_deps(std::uint64_t seed) {
    return {
        .clock = baton_,
        .threads = baton_,
        .client = manager_network_.client(),
        .dial = workload_.dial([this](kube::Client& server) -> kube::Client& { return network_to(server); }),
        .seed = seed};
  }

  class Audited {
   public:
    Audited(Auditor& auditor, FleetManager& manager) : auditor_(auditor) { auditor.manager_starts(manager); }
    ~Audited() { auditor_.manager_ends(); }
    Audited(const Audited&) = delete;
    Audited& operator=(const Audited&) = delete;

   private:
    Auditor& auditor_;
  };

  // One network per workload API server, as long as the world.
  kube::Client& network_to(kube::Client& server) {
    auto& network = workload_networks_[&server];
    if (!network) network = std::make_unique<Network>(*this, server);
    return network->client();
  }

  void run_providers(std::uint64_t starts, const std::stop_token& stop) {
    SeededRandomness randomness(options_.seed * 1000 + 500 + starts);
    infrastructure::Provider infrastructure(
        {.clock = baton_,
         .threads = baton_,
         .client = provider_network_.client(),
         .drivers = has_remote_driver(options_.seed) ? driver_process_.driver() : cloud_,
         .control_planes = workload_,
         .randomness = randomness},
        {.machine_concurrency = 3,
         .cluster_concurrency = 1,
         .pool_concurrency = 1,
         .orphans = [deletes = has_brakes_] { return orphan_settings(deletes); }});
    bootstrap::Provider bootstrap(
        {.clock = baton_, .threads = baton_, .client = provider_network_.client(), .randomness = randomness},
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
      auditor_.look();
      baton_.wait(work, seen, Deadline::never(stop));
    }
    api_.on_work({});
  }

  // --- the story ---
  void install() {
    for (const json::value& crd : fleet_kinds()) {
      const auto made =
          users_.create(kube::resources::custom_resource_definitions(), {}, crd, {}, Deadline::never());
      if (!made) broke("install a kind: " + made.error().describe());
    }
  }

  // On the way to the API servers, and in the cloud.
  void begin_faults() {
    raging_ = options_.faults;
    cloud_.follow_faults(script_.faults);
  }
  void end_faults() {
    raging_ = false;
    cloud_.end_faults();
    tell("the faults stop");
  }

  void use() {
    begin_faults();
    {
      std::unique_ptr<Thread> stranger;
      if (options_.faults)
        stranger = baton_.spawn("stranger", [this](const std::stop_token& stop) { user_.meddle(stop); });
      std::unique_ptr<Thread> clumsy;
      if (!acts_of(options_).empty())
        clumsy = baton_.spawn("clumsy user", [this](const std::stop_token& stop) { clumsy_.run(stop); });
      user_.create_fleet();
      rest(60s);
      user_.live_with_it(2 + baton_.draw(5), options_.faults);
    }
    end_faults();
    clumsy_.make_peace();
    user_.make_peace();
  }

  void expect_convergence() {
    rest(kLongestDelay);  // what is still under way
    const SteadyTime until = baton_.steady_now() + kTimeToConverge;
    while (!missing().empty() && baton_.steady_now() < until) {
      if (has_brakes_) user_.confirm_deletions();
      rest(2s);
    }
    if (const auto lacks = missing(); !lacks.empty()) {
      broke("no convergence: " + lacks);
      return tell_what_stands();
    }
    tell("the fleet is as wished");
  }

  // Why a fleet stands still is mostly in what its objects say of themselves.
  void tell_what_stands() {
    for (const std::string_view plural : {"clusters", "machinedeployments", "machinesets", "machines",
                                          "machinepools", "machinehealthchecks"}) {
      for (const auto& object : api_.stored_all("cluster.x-k8s.io", plural)) {
        json::value shown = *object;
        if (auto* metadata = shown.as_object().if_contains("metadata"))
          metadata->as_object().erase("managedFields");
        tell("stands: " + json::serialize(shown));
      }
    }
  }

  // What is not yet as wished; empty: nothing.
  std::string missing() {
    const Fleet& wishes = user_.wishes();
    const auto count = [&](std::string_view what, std::size_t is, std::size_t wanted) {
      return is == wanted ? std::string() : fmt::format("{} {}, {} wanted; ", is, what, wanted);
    };
    const auto workers = static_cast<std::size_t>(wishes.replicas);
    const auto pooled = static_cast<std::size_t>(wishes.pool ? wishes.pool->replicas : 0);
    const std::size_t pooled_machines = wishes.pool && wishes.pool->with_machines ? pooled : 0;
    const std::size_t machines = workers + 1 + pooled_machines;
    const std::size_t wanted_nodes = workers + 1 + pooled;
    const auto vms = cloud_.vms();
    const auto counted = [&](const auto& vm) { return !clumsy_.is_extra(vm.name); };
    std::string text =
        count("VMs", static_cast<std::size_t>(std::ranges::count_if(vms, counted)), wanted_nodes);
    text += count("Machines", stored<api::Machine>(), machines);
    const std::size_t sets = stored<api::MachineSet>();
    const std::size_t most_sets = user_.has_life_cycle() ? 1 + kRevisionsKept : 1;
    if (sets == 0 || sets > most_sets) text += count("MachineSets", sets, most_sets);
    text += count("MachinePools", stored<api::MachinePool>(), wishes.pool ? 1 : 0);
    text += count("DriverMachines", stored<api::DriverMachine>(), machines);
    text += count("CloudConfigs", stored("bootstrap.cluster.x-k8s.io", "cloudconfigs"),
                  workers + 1 + (wishes.pool ? 1 : 0));
    apiserver::Api* const workload = workload_.api(named(kCluster));
    const std::size_t nodes = workload == nullptr ? 0 : wished(workload->stored_all("", "nodes"));
    // One that can't be deleted within nodeDeletionTimeout (ten seconds) stays behind.
    if (nodes < wanted_nodes || !options_.faults) text += count("Nodes", nodes, wanted_nodes);
    if (text.empty() && !acts_of(options_).empty()) text += clumsy_.wrong();
    if (!text.empty()) return text;
    for (const auto& machine : all<api::Machine>()) {
      const auto* owner = machine.metadata.controller();
      const bool of_deployment = owner != nullptr && owner->kind == api::kind::kMachineSet;
      if (of_deployment && machine.spec.version != std::string_view(wishes.version))
        text += fmt::format("{} is {}; ", machine.metadata.name.view(), machine.spec.version.view());
    }
    const auto deployments = all<api::MachineDeployment>();
    const auto named_so = [](const auto& each) { return each.metadata.name == kDeployment; };
    const auto deployment = std::ranges::find_if(deployments, named_so);
    if (deployment == deployments.end()) return text + "no MachineDeployment";
    const auto& status = deployment->status;
    text += count("replicas", static_cast<std::size_t>(status.replicas.value_or(0)), workers);
    text += count("available", static_cast<std::size_t>(status.available_replicas.value_or(0)), workers);
    text += count("up to date", static_cast<std::size_t>(status.up_to_date_replicas.value_or(0)), workers);
    if (status.observed_generation != deployment->metadata.generation) text += "not observed; ";
    if (has_brakes_) text += brakes_.shut();
    return text + missing_in_pool(pooled);
  }

  std::string missing_in_pool(std::size_t wanted) {
    std::string text;
    for (const auto& pool : all<api::MachinePool>()) {
      const auto number = [](const std::optional<std::int32_t>& value) {
        return static_cast<std::size_t>(value.value_or(0));
      };
      const auto& status = pool.status;
      if (number(status.replicas) != wanted || number(status.ready_replicas) != wanted ||
          number(status.available_replicas) != wanted)
        text += fmt::format("the pool has {} replicas, {} ready, {} available, {} wanted; ",
                            number(status.replicas), number(status.ready_replicas),
                            number(status.available_replicas), wanted);
      if (status.observed_generation != pool.metadata.generation) text += "the pool is not observed; ";
    }
    return text;
  }

  bool any_copy_out_of_reach() const {
    return std::ranges::any_of(
        api_.stored_all(api::resource<api::Cluster>.group, api::resource<api::Cluster>.plural),
        [this](const auto& object) {
          const auto cluster = api::from_json<api::Cluster>(json::value(*object));
          return cluster && clumsy_.is_extra(cluster->metadata.name.view()) &&
                 !api::conditions::is_true(cluster->status.conditions,
                                           api::condition::kRemoteConnectionProbe);
        });
  }

  bool lists_orphans() const {
    return std::ranges::any_of(all<api::DriverCluster>(),
                               [](const auto& cluster) { return !cluster.status.orphans.empty(); });
  }

  // Nothing happens, nothing is asked: only watches are renewed and workload clusters probed. That of a
  // copied Cluster which does not answer is looked for every minute, each time with its Secret.
  void expect_silence() {
    // A Machine may be preserved, be replaced then, and be counted.
    rest(user_.has_life_cycle() || has_brakes_ ? 10min : 3min);
    // What one list has shown is judged again with the next.
    for (int list = 0; list < 3 && lists_orphans(); ++list) rest(16min);
    const std::uint64_t before = requests();
    said_.emplace();
    read_.clear();
    rest(kTimeOfSilence);
    const auto said = *std::exchange(said_, std::nullopt);
    const std::uint64_t asked = requests() - before;
    // Once an hour it looks whether the Secret is there.
    const auto glances = std::ranges::count_if(read_, [](const std::string& each) {
      return each.contains("Secret ") && each.ends_with("-kubeconfig");
    });
    if (asked == 0 || (asked == 1 && glances == 1)) return;
    if (said.empty() && glances == std::ssize(read_) && any_copy_out_of_reach()) return;
    broke(fmt::format("{} requests while nothing happened, writes among them:{}\nand reads:{}", asked,
                      listed(said), listed(read_)));
  }

  // A manager that starts anew learns everything again. Nothing has changed meanwhile, so there is nothing to
  // write: not at rest, and not while the workload cluster is out of reach and all has been said about that.
  void expect_nothing_to_say_after_a_restart() {
    restart("at rest");
    if (baton_.draw(4) != 0) return;
    tell("the workload cluster is lost");
    workload_.lose(true);
    rest(kTimeOfSilence);
    restart("out of reach");
    workload_.lose(false);
    expect_convergence();
    rest(3min);
  }

  void restart(std::string_view when) {
    said_.emplace();
    for (const char* process : {"manager", "provider"}) baton_.crash(process);
    rest(kDeadFor + kTimeToStart);
    const auto said = *std::exchange(said_, std::nullopt);
    if (said.empty()) return;
    broke(fmt::format("{} writes after a restart {}, and nothing had happened:{}", said.size(), when,
                      listed(said)));
  }

  static std::string listed(const std::vector<std::string>& said) {
    std::string text;
    for (std::size_t i = 0; i < std::min(said.size(), kTold); ++i) text += "\n  " + said[i];
    return text;
  }

  std::string told(const Asked& asked) const {
    return fmt::format("{}: {}{}", baton_.who().name, asked.describe(),
                       asked.body == nullptr ? std::string() : " " + json::serialize(*asked.body));
  }

  void expect_clean_end() {
    begin_faults();
    user_.delete_fleet();
    if (raging_) rest(Nanoseconds(1ms) * static_cast<std::int64_t>(baton_.draw(90'000)));
    end_faults();
    clumsy_.let_go();
    await_nothing_left([this](const json::object& object) { return clumsy_.outlives_cluster(object); });
    clumsy_.clear_away();
    await_nothing_left([](const json::object&) { return false; });
  }

  void await_nothing_left(const std::function<bool(const json::object&)>& but) {
    const SteadyTime until = baton_.steady_now() + kTimeToConverge;
    while (!left(but).empty() && baton_.steady_now() < until) rest(2s);
    const auto what = left(but);
    if (what.empty()) return;
    broke("the cluster was deleted, and what is left is " + what);
    tell_what_stands();
  }

  std::string left(const std::function<bool(const json::object&)>& but) {
    std::string text;
    for (const auto& type : api_.types()) {
      if (!type->group.ends_with("cluster.x-k8s.io")) continue;
      for (const auto& object : api_.stored_all(type->group, type->plural)) {
        const std::string_view name = object->at("metadata").at("name").as_string();
        if (!but(*object)) text += fmt::format("{} {}; ", type->kind, name);
      }
    }
    if (!cloud_.vms().empty()) text += fmt::format("{} VMs; ", cloud_.vms().size());
    return text;
  }

  // --- looking ---
  std::size_t stored(std::string_view group, std::string_view plural) const {
    return wished(api_.stored_all(group, plural));
  }
  std::size_t wished(const std::vector<apiserver::ObjectPtr>& objects) const {
    return static_cast<std::size_t>(std::ranges::count_if(objects, [this](const apiserver::ObjectPtr& each) {
      const std::string_view name = each->at("metadata").at("name").as_string();
      return !clumsy_.is_extra(name) && !clumsy_.is_held(*each);
    }));
  }
  template <typename T>
  std::size_t stored() const {
    return stored(api::resource<T>.group, api::resource<T>.plural);
  }
  // Of the fleet's own. A copy may not even be readable: its original had a word where a number belongs.
  template <typename T>
  std::vector<T> all() const {
    std::vector<T> found;
    for (const auto& object : api_.stored_all(api::resource<T>.group, api::resource<T>.plural)) {
      if (clumsy_.is_extra(object->at("metadata").at("name").as_string())) continue;
      found.push_back(api::from_json<T>(json::value(*object)).value());
    }
    return found;
  }
  std::uint64_t requests() const {
    std::uint64_t sum = manager_network_.requests() + provider_network_.requests();
    for (const auto& [server, network] : workload_networks_) sum += network->requests();
    return sum;
  }

  // --- small things ---
  void rest(Nanoseconds span, std::stop_token stop = {}) {
    baton_.pause(Deadline::in(baton_, span, std::move(stop)));
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
  bool late_deletion_ = false;                          // of a Node by a pool: the next one
  int news_until_late_ = 0;                             // for the manager, of the pool's infrastructure
  std::uint64_t calls_hit_ = 0;                         // of a thousand
  std::uint64_t pieces_hit_ = 0;                        // of a thousand
  std::optional<std::vector<std::string>> said_ = {};   // since a restart, Events apart
  std::vector<std::string> read_ = {};                  // while it should be silent
  Gap gap_ = {};                                        // of the write being sent
  std::map<std::size_t, std::string> last_write_ = {};  // by thread
  apiserver::Api api_;
  OneMoment one_moment_{baton_};
  fakes::MemoryClient users_;
  fakes::MemoryClient at_once_;
  fakes::MemoryClient manager_wire_;
  fakes::MemoryClient provider_wire_;
  WorkloadServers workload_;
  const infrastructure::sim::Script script_;
  infrastructure::sim::SimCloud cloud_;
  DriverProcess driver_process_;
  infrastructure::sim::Kubelets kubelets_;
  bool has_apps_ = false;
  const bool has_brakes_ = is_braked(options_);
  BrakeAuditor brakes_;
  Auditor auditor_;
  FleetApps apps_;
  ClumsyUser clumsy_;
  FleetUser user_;
  Network manager_network_;
  Network provider_network_;
  std::map<kube::Client*, std::unique_ptr<Network>> workload_networks_ = {};
};

}  // namespace

FleetVerdict simulate_fleet(const FleetOptions& options) {
  FleetVerdict verdict;
#ifdef CAPSTAN_DEFECTS
  switch_off(options.without);
#endif
  Baton baton({.seed = options.seed,
               .max_switches = kMostSwitches,
               .slips_per_thousand = 2,
               .story = options.switches});
  verdict.run = baton.run([&] {
    FleetWorld world(baton, options, verdict);
    world.live();
  });
  if (!verdict.run.finished() && verdict.broken.empty()) verdict.broken = verdict.run.why;
  return verdict;
}

}  // namespace capstan::simulation
