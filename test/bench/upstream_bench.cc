// Our manager and upstream's core, one after the other on the same machine and the same sort of servers: what
// a Machine costs each of them when it is made, rolled and deleted. The ratio says less about the machine
// than milliseconds do: two runs of one day differed by a tenth to a fifth.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <utility>

#include "test/bench/bench_fleet.h"
#include "test/bench/memory.h"
#include "test/bench/realistic_cloud.h"

namespace capstan::bench {
namespace {

using envtest::FleetBedOptions;
using std::chrono::minutes;

constexpr const char* kCluster = "demo";
constexpr const char* kPool = "pool";
constexpr auto kPatience = minutes(90);

// As kubelets have it where no control plane watches their Leases.
constexpr std::string_view kPromptWithHeartbeats = R"(
latency: {create: 0s, remove: 0s, status: 0s, list: 0s}
boot: {register: 0s, ready: 0s}
heartbeat: {lease: 0s, status: 5m}
)";

// For each Machine.
struct Cost {
  double cpu_ms = 0;
  double requests = 0;  // Events and Leases apart, and no watches
  double events = 0;
  double servers_cpu_ms = 0;  // of both API servers and their stores, all clients together
  double seconds = 0;         // for all of them
};

struct Costs {
  Cost created = {};
  Cost rolled = {};
  Cost deleted = {};
  double peak_mb = 0;
};

double servers_cpu_ms(BenchFleet& fleet) {
  std::chrono::duration<double, std::milli> sum = {};
  for (const auto* servers : {&fleet.bed().management(), &fleet.bed().workload()})
    for (const pid_t pid : servers->pids()) sum += envtest::cpu_time_of(pid);
  return sum.count();
}

template <typename Work>
Cost cost_of(BenchFleet& fleet, int machines, Work&& work) {
  fleet.await_quiet();
  fleet.spent();
  const double cpu = fleet.manager_cpu_ms();
  const double servers_cpu = servers_cpu_ms(fleet);
  const double begun = fleet.elapsed();
  std::forward<Work>(work)();
  Cost cost{.seconds = fleet.elapsed() - begun};
  fleet.await_quiet();
  const Spent spent = fleet.spent();
  cost.cpu_ms = (fleet.manager_cpu_ms() - cpu) / machines;
  cost.requests = spent.requests() / machines;
  cost.events = spent.events() / machines;
  cost.servers_cpu_ms = (servers_cpu_ms(fleet) - servers_cpu) / machines;
  return cost;
}

FleetBedOptions with_providers(const Place& place, FleetBedOptions options) {
  options.audit = FleetBedOptions::Audit::Requests;
  options.cloud = place.realistic ? kRealisticCloud : kPromptWithHeartbeats;
  if (place.realistic) options.provider_flags = {kRealisticProvider};
  return options;
}

void make_empty_pool(BenchFleet& fleet) {
  fleet.make_clusters(1);
  fleet.make_deployment(kCluster, kPool, 0);
  fleet.await_settled(kPool, 0, minutes(1));
}

void tell(std::string_view who, std::string_view what, const Cost& cost) {
  say(fmt::format(
      "{:<10} {:<8} {:>8.2f} ms CPU {:>7.2f} requests {:>6.2f} Events {:>8.2f} ms CPU of API servers "
      "{:>7.1f} s",
      who, what, cost.cpu_ms, cost.requests, cost.events, cost.servers_cpu_ms, cost.seconds));
}

// Told act by act: with many Machines one takes half an hour.
Costs costs_on(const Place& place, FleetBedOptions options, Limits limits, int machines) {
  const std::string_view who = options.other_core.empty() ? "ours" : "upstream";
  BenchFleet fleet(place, with_providers(place, std::move(options)), limits);
  make_empty_pool(fleet);
  const auto told = [&](std::string_view what, const std::function<void()>& act) {
    const Cost cost = cost_of(fleet, machines, act);
    tell(who, what, cost);
    return cost;
  };
  Costs costs;
  costs.created = told("created", [&] {
    fleet.scale(kPool, machines);
    fleet.await_settled(kPool, machines, kPatience);
  });
  costs.rolled = told("rolled", [&] {
    fleet.set_version(kPool, "v1.36.0");
    fleet.await_settled(kPool, machines, kPatience, "v1.36.0");
  });
  costs.deleted = told("deleted", [&] {
    fleet.scale(kPool, 0);
    fleet.await_settled(kPool, 0, kPatience);
  });
  costs.peak_mb = peak_resident_mb(fleet.bed().core().pid());
  say(fmt::format("{:<10} {:<8} {:>8.1f} MB", who, "peak", costs.peak_mb));
  return costs;
}

// Over the whole life: all are made, and all go.
double peak_mb_of(const Place& place, FleetBedOptions options, int machines) {
  BenchFleet fleet(place, with_providers(place, std::move(options)), Limits::AsShipped);
  make_empty_pool(fleet);
  for (const int size : {machines, 0}) {
    fleet.scale(kPool, size);
    fleet.await_settled(kPool, size, kPatience);
  }
  return peak_resident_mb(fleet.bed().core().pid());
}

double mean(double a, double b) { return (a + b) / 2; }

std::filesystem::path upstream_of(const Place& place) {
  std::filesystem::path upstream = place.upstream;
  if (!upstream.empty() && std::filesystem::exists(upstream / "core")) return upstream;
  throw std::runtime_error(
      "CAPSTAN_UPSTREAM does not name a folder with upstream's core: start with scripts/bench, which "
      "builds it");
}

// Ours before and after upstream's: a machine that gets slower meanwhile favours neither.
struct Runs {
  Costs before = {};
  Costs theirs = {};
  Costs after = {};

  template <typename Of>
  double ratio(Of&& of) const {
    return mean(of(before), of(after)) / of(theirs);
  }
};

Runs runs_with(const Place& place, Limits limits) {
  const std::filesystem::path upstream = upstream_of(place);
  const int machines = place.machines > 0 ? place.machines : 200;
  say(fmt::format(
      "{} Machines of one MachineDeployment, maxSurge 10 %, limits of clients {}, providers {}; per Machine, "
      "seconds for all:",
      machines, limits == Limits::Lifted ? "lifted" : "as shipped",
      place.realistic ? "realistic" : "prompt"));
  Runs runs;
  runs.before = costs_on(place, {}, limits, machines);
  runs.theirs =
      costs_on(place, {.other_core = upstream / "core", .other_crds = upstream / "crds"}, limits, machines);
  runs.after = costs_on(place, {}, limits, machines);
  return runs;
}

struct Act {
  std::string_view name;
  Cost Costs::* cost;
};
constexpr std::array kActs = {Act{"create", &Costs::created}, Act{"roll", &Costs::rolled},
                              Act{"delete", &Costs::deleted}};

// "upstream.create_cpu_ratio", with another form for what is compared otherwise.
void add_ratios(Values& values, const Runs& runs, fmt::format_string<std::string_view&> name,
                double Cost::* part) {
  for (const Act& act : kActs) {
    std::string_view what = act.name;
    values[fmt::format(name, what)] = runs.ratio([&](const Costs& costs) { return costs.*act.cost.*part; });
  }
}

}  // namespace

Values costs_beside_upstream(const Place& place) {
  const Runs runs = runs_with(place, Limits::Lifted);
  Values values;
  add_ratios(values, runs, "upstream.{}_cpu_ratio", &Cost::cpu_ms);
  add_ratios(values, runs, "upstream.wall_ratio_lifted.{}", &Cost::seconds);
  return values;
}

Values costs_beside_upstream_as_shipped(const Place& place) {
  const Runs runs = runs_with(place, Limits::AsShipped);
  Values values;
  add_ratios(values, runs, "upstream.{}_cpu_ratio_shipped", &Cost::cpu_ms);
  add_ratios(values, runs, "upstream.{}_requests_ratio", &Cost::requests);
  add_ratios(values, runs, "upstream.wall_ratio.{}", &Cost::seconds);
  add_ratios(values, runs, "upstream.apiserver_cpu_ratio.{}", &Cost::servers_cpu_ms);
  values["upstream.rss_ratio"] = runs.ratio([](const Costs& costs) { return costs.peak_mb; });
  return values;
}

double memory_beside_upstream(const Place& place) {
  const std::filesystem::path upstream = upstream_of(place);
  const int machines = place.machines > 0 ? place.machines : 1000;
  const double before = peak_mb_of(place, {}, machines);
  const double theirs =
      peak_mb_of(place, {.other_core = upstream / "core", .other_crds = upstream / "crds"}, machines);
  const double after = peak_mb_of(place, {}, machines);
  say(
      fmt::format("{} Machines are made and deleted, as shipped; peak of ours {:.1f} and {:.1f} MB, of "
                  "upstream's {:.1f} MB",
                  machines, before, after, theirs));
  return mean(before, after) / theirs;
}

}  // namespace capstan::bench
