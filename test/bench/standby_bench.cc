// How long nothing acts after a leader has died: the standby of a fleet of 1,000 Machines, with work to do.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/time.h"
#include "test/bench/bench_fleet.h"

namespace capstan::bench {
namespace {

using envtest::AuditEntry;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kClustersOfStandby = 10;
constexpr int kDeaths = 3;  // at different moments between two renewals
constexpr auto kLease = seconds(15);
constexpr auto kUntilItWaits = seconds(10);

WallTime time_of(const AuditEntry& entry) { return must(MicroTime::parse(entry.at)).wall(); }

std::string cluster_of(int number) { return fmt::format("demo-{}", number + 1); }
std::string deployment_of(int number) { return fmt::format("pool-{}", number + 1); }

void rest(BenchFleet& fleet, Nanoseconds span) { fleet.threads().pause(Deadline::in(fleet.clock(), span)); }

WallTime last_renewal(const std::vector<AuditEntry>& entries) {
  WallTime last = {};
  for (const AuditEntry& entry : entries) {
    if (envtest::is_lease(entry) && envtest::is_write(entry)) last = std::max(last, time_of(entry));
  }
  if (last == WallTime()) throw std::runtime_error("the leader has not renewed its Lease");
  return last;
}

WallTime first_write(BenchFleet& fleet) {
  const Deadline patience = Deadline::in(fleet.clock(), minutes(2));
  while (!patience.passed(fleet.clock().steady_now())) {
    for (const AuditEntry& entry : fleet.spent().manager) {
      if (envtest::is_write(entry) && !envtest::is_lease(entry) && !envtest::is_event(entry))
        return time_of(entry);
    }
    rest(fleet, milliseconds(50));
  }
  throw std::runtime_error("the standby wrote nothing in two minutes");
}

}  // namespace

// From the end of the Lease that the dead leader had, by the API server's account of its last renewal.
double standby_first_write_s(const Place& place) {
  const int machines = place.machines > 0 ? place.machines : 1000;
  const int each = std::max(machines / kClustersOfStandby, 1);
  BenchFleet fleet(place, {.core_flags = {"--leader-elect=true"},
                           .audit = envtest::FleetBedOptions::Audit::Requests,
                           .real_workload = false});
  fleet.make_clusters(kClustersOfStandby);
  for (int i = 0; i < kClustersOfStandby; ++i) {
    fleet.make_deployment(cluster_of(i), deployment_of(i), each);
    fleet.await_settled(deployment_of(i), each, minutes(10));
  }
  double longest = 0;
  for (int death = 1; death <= kDeaths; ++death) {
    must(fleet.bed().start_standby());
    rest(fleet, kUntilItWaits);
    fleet.spent();
    rest(fleet, seconds(4) + milliseconds(600) * death);
    const WallTime renewed = last_renewal(fleet.spent().manager);
    fleet.bed().kill_core();
    fleet.scale(deployment_of(0), each + death);
    const auto late = first_write(fleet) - renewed - kLease;
    const double late_s = std::chrono::duration<double>(late).count();
    say(fmt::format("death {}: first write {:.3f} s after the end of the Lease", death, late_s));
    longest = std::max(longest, late_s);
    fleet.await_settled(deployment_of(0), each + death, minutes(2));
  }
  return longest;
}

}  // namespace capstan::bench
