// Our manager and upstream's core, one after the other on the same machine and the same sort of servers: what
// a Machine costs each of them when it is made and when it is rolled. The ratio says less about the machine
// than milliseconds do: two runs of one day differed by a tenth to a fifth.
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "test/bench/fleet_ground.h"

namespace capstan::bench {
namespace {

using envtest::FleetBedOptions;
using std::chrono::minutes;

constexpr const char* kCluster = "demo";
constexpr const char* kPool = "pool";

// For each Machine.
struct Cost {
  double cpu_ms = 0;
  double requests = 0;  // Events and Leases apart, and no watches
  double events = 0;
  double seconds = 0;  // for all of them
};

struct Costs {
  Cost created = {};
  Cost rolled = {};
};

template <typename Work>
Cost cost_of(Ground& ground, int machines, Work&& work) {
  ground.await_quiet();
  ground.spent();
  const double cpu = ground.manager_cpu_ms();
  const double begun = ground.elapsed();
  std::forward<Work>(work)();
  Cost cost{.seconds = ground.elapsed() - begun};
  ground.await_quiet();
  const Spent spent = ground.spent();
  cost.cpu_ms = (ground.manager_cpu_ms() - cpu) / machines;
  cost.requests = spent.requests() / machines;
  cost.events = spent.events() / machines;
  return cost;
}

Costs costs_on(const Place& place, FleetBedOptions options, Limits limits, int machines) {
  options.audit = FleetBedOptions::Audit::Requests;
  Ground ground(place, std::move(options), limits);
  ground.make_clusters(1);
  ground.make_deployment(kCluster, kPool, 0);
  ground.await_settled(kPool, 0, minutes(1));
  Costs costs;
  costs.created = cost_of(ground, machines, [&] {
    ground.scale(kPool, machines);
    ground.await_settled(kPool, machines, minutes(10));
  });
  costs.rolled = cost_of(ground, machines, [&] {
    ground.set_version(kPool, "v1.36.0");
    ground.await_settled(kPool, machines, minutes(20), "v1.36.0");
  });
  return costs;
}

void tell(std::string_view who, std::string_view what, const Cost& cost) {
  say(fmt::format("{:<10} {:<8} {:>8.2f} ms CPU {:>7.2f} requests {:>6.2f} Events {:>7.1f} s", who, what,
                  cost.cpu_ms, cost.requests, cost.events, cost.seconds));
}

void tell(std::string_view who, const Costs& costs) {
  tell(who, "created", costs.created);
  tell(who, "rolled", costs.rolled);
}

double mean(double a, double b) { return (a + b) / 2; }

std::filesystem::path upstream_of(const Place& place) {
  std::filesystem::path upstream = place.upstream;
  if (!upstream.empty() && std::filesystem::exists(upstream / "core")) return upstream;
  throw std::runtime_error(
      "CAPSTAN_UPSTREAM does not name a folder with upstream's core: start with scripts/bench, which "
      "builds it");
}

struct Ratios {
  double created = 0;
  double rolled = 0;
};

// Ours before and after upstream's: a machine that gets slower meanwhile favours neither.
Ratios ratios_with(const Place& place, Limits limits) {
  const std::filesystem::path upstream = upstream_of(place);
  const int machines = place.machines > 0 ? place.machines : 200;
  say(fmt::format(
      "{} Machines of one MachineDeployment, maxSurge 10 %, limits of clients {}; per Machine, seconds "
      "for all:",
      machines, limits == Limits::Lifted ? "lifted" : "as shipped"));
  const Costs before = costs_on(place, {}, limits, machines);
  tell("ours", before);
  const Costs theirs =
      costs_on(place, {.other_core = upstream / "core", .other_crds = upstream / "crds"}, limits, machines);
  tell("upstream", theirs);
  const Costs after = costs_on(place, {}, limits, machines);
  tell("ours", after);
  return {.created = mean(before.created.cpu_ms, after.created.cpu_ms) / theirs.created.cpu_ms,
          .rolled = mean(before.rolled.cpu_ms, after.rolled.cpu_ms) / theirs.rolled.cpu_ms};
}

}  // namespace

Values costs_beside_upstream(const Place& place) {
  const Ratios ratios = ratios_with(place, Limits::Lifted);
  return {{"upstream.create_cpu_ratio", ratios.created}, {"upstream.roll_cpu_ratio", ratios.rolled}};
}

Values costs_beside_upstream_as_shipped(const Place& place) {
  const Ratios ratios = ratios_with(place, Limits::AsShipped);
  return {{"upstream.create_cpu_ratio_shipped", ratios.created},
          {"upstream.roll_cpu_ratio_shipped", ratios.rolled}};
}

}  // namespace capstan::bench
