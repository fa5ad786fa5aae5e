// Figures of big fleets: at rest, after a restart, and whether a Machine costs more the more there are.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "test/bench/bench_fleet.h"
#include "test/bench/fixed_work.h"
#include "test/bench/memory.h"

namespace capstan::bench {
namespace {

using envtest::AuditEntry;
using envtest::FleetBedOptions;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kClusters = 100;
// Kubelets say every five minutes how they are. Their Leases are left out: no manager watches those, and
// 10,000 of them would take a server's whole time.
constexpr std::string_view kWithHeartbeats = R"(
latency: {create: 0s, remove: 0s, status: 0s, list: 0s}
boot: {register: 0s, ready: 0s}
heartbeat: {lease: 0s, status: 5m}
)";
constexpr int kWave = 10;  // clusters: all at once, and two cores of a kube-apiserver never catch up

std::string cluster_name(int number) { return fmt::format("demo-{}", number + 1); }
std::string pool_name(int number) { return fmt::format("pool-{}", number + 1); }

// So many Machines in that many MachineDeployments of one cluster, on the embedded server, which is no brake:
// the manager's CPU for each.
double cost_of_one(const Place& place, int machines, int deployments) {
  BenchFleet fleet(place, {.real_management = false, .real_workload = false});
  fleet.make_clusters(1);
  for (int i = 0; i < deployments; ++i) fleet.make_deployment("demo", pool_name(i), 0);
  for (int i = 0; i < deployments; ++i) fleet.await_settled(pool_name(i), 0, minutes(1));
  fleet.await_quiet();
  const double before = fleet.manager_cpu_ms();
  const double begun = fleet.elapsed();
  for (int i = 0; i < deployments; ++i) fleet.scale(pool_name(i), machines / deployments);
  for (int i = 0; i < deployments; ++i)
    fleet.await_settled(pool_name(i), machines / deployments, minutes(15));
  const double took = fleet.elapsed() - begun;
  fleet.await_quiet();
  const double cost = (fleet.manager_cpu_ms() - before) / machines;
  say(fmt::format("{} Machines in {} MachineDeployments: {:.2f} ms CPU each, available in {:.1f} s", machines,
                  deployments, cost, took));
  return cost;
}

// One MachineDeployment in each cluster.
void populate(BenchFleet& fleet, int machines) {
  for (int first = 0; first < kClusters; first += kWave) {
    const int end = std::min(first + kWave, kClusters);
    for (int i = first; i < end; ++i) fleet.make_deployment(cluster_name(i), pool_name(i), machines);
    for (int i = first; i < end; ++i) fleet.await_settled(pool_name(i), machines, minutes(10));
    say(fmt::format("{} Machines stand after {:.0f} s", machines * end, fleet.elapsed()));
  }
}

}  // namespace

Values fleet_cost_growth(const Place& place) {
  const int many = place.machines > 0 ? place.machines : 10000;
  const int few = std::max(many / 100, kClusters);
  const double one = cost_of_one(place, many, 1) / cost_of_one(place, few, 1);
  const double hundred = cost_of_one(place, many, kClusters) / cost_of_one(place, few, kClusters);
  say(fmt::format("growth in one MachineDeployment {:.2f}, in {} {:.2f}", one, kClusters, hundred));
  return {{"machine.cost_growth", std::max(one, hundred)}};
}

// Leases and watches are no requests of a fleet at rest, nor is the probe of a cluster that was silent for
// ten seconds: a figure of its own. The simulated workload clusters are embedded servers inside the
// provider's process: the manager's own metrics say what they are asked.
Values fleet_at_rest(const Place& place) {
  const int machines = place.machines > 0 ? place.machines : 10000;
  const int each = std::max(machines / kClusters, 1);
  BenchFleet fleet(place, {.core_flags = kDiagnosticsForAll,
                           .cloud = std::string(kWithHeartbeats),
                           .audit = FleetBedOptions::Audit::Requests,
                           .real_workload = false});
  fleet.make_clusters(kClusters);
  populate(fleet, each);
  say(fmt::format("{} Machines in {} clusters stand after {:.0f} s", each * kClusters, kClusters,
                  fleet.elapsed()));
  fleet.await_quiet();
  fleet.await_silence();

  Values values;
  constexpr auto kWatched = seconds(60);
  const WorkloadRequests asked = fleet.workload_requests();
  const double before = fleet.manager_cpu_ms();
  const double begun = fleet.elapsed();
  fleet.threads().pause(Deadline::in(fleet.clock(), kWatched));
  const double watched = fleet.elapsed() - begun;
  const double used = fleet.manager_cpu_ms() - before;
  const Spent idle = fleet.spent();
  const WorkloadRequests now_asked = fleet.workload_requests();
  say("--- at rest: what the manager asked the management server for in 60 s");
  say(envtest::breakdown(idle.manager, 1));
  const double of_workload = now_asked.requests - asked.requests;
  const double probes = now_asked.probes - asked.probes;
  say(fmt::format("of workload clusters: {} requests, {} probes", of_workload, probes));
  values["idle.requests"] =
      of_workload + static_cast<double>(std::ranges::count_if(
                        idle.manager, [](const AuditEntry& entry) { return !envtest::is_lease(entry); }));
  values["idle.probes"] = probes / kClusters;
  values["idle.cpu_percent"] = used / (watched * 10);
  const double unit = fixed_work_ms();
  say(fmt::format("{:.2f} ms CPU a second; the fixed work takes {:.2f} ms now", used / watched, unit));
  values["idle.cpu_ratio"] = used / watched / unit;
  const ResidentParts resident = resident_parts(fleet.bed().core().pid());
  say(fmt::format("resident: {:.1f} MB of its own, {:.1f} MB of program and libraries", resident.own_mb,
                  resident.program_mb));
  values["idle.rss_mb"] = resident.own_mb + resident.program_mb;

  must(fleet.bed().stop_core());
  fleet.spent();
  fleet.scale(pool_name(0), each + 1);
  must(fleet.bed().start_core());
  const double started = fleet.elapsed();
  double first = 0;
  std::size_t stray = 0;
  const auto is_for_it = [](const AuditEntry& entry) {
    return entry.object.find("/" + pool_name(0) + "-") != std::string::npos ||
           entry.object.ends_with("/" + pool_name(0)) || entry.object.ends_with("/" + cluster_name(0));
  };
  std::vector<AuditEntry> strays;
  for (const Deadline deadline = Deadline::in(fleet.clock(), minutes(2));
       !deadline.passed(fleet.clock().steady_now());
       fleet.threads().pause(Deadline::in(fleet.clock(), std::chrono::milliseconds(20)))) {
    for (const AuditEntry& entry : fleet.spent().manager) {
      if (!envtest::is_write(entry) || envtest::is_event(entry) || envtest::is_lease(entry)) continue;
      if (is_for_it(entry)) {
        if (first == 0) first = fleet.elapsed() - started;
      } else {
        ++stray;
        strays.push_back(entry);
      }
    }
    if (first > 0 && fleet.elapsed() - started > first + 15) break;
  }
  if (first == 0) throw std::runtime_error("no write for the scaled MachineDeployment in two minutes");
  say(fmt::format("restart: first write after {:.2f} s; {} writes for others", first, stray));
  say(envtest::breakdown(strays, 1));
  values["restart.first_write_s"] = stray == 0 ? first : 1e6;
  values["restart.first_write_ratio"] = stray == 0 ? 1000 * first / fixed_work_ms() : 1e6;
  return values;
}

}  // namespace capstan::bench
