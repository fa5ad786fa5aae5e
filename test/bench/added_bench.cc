// Figures of what our manager adds to the time that providers and kubelets take: to a Machine, from the last
// write of theirs to Available; to a rolling update, by the wall. From the audit logs of both servers, which
// run on one machine and by one clock.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <queue>
#include <stdexcept>

#include "base/time.h"
#include "test/bench/bench_fleet.h"
#include "test/bench/fixed_work.h"
#include "test/bench/realistic_cloud.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;
using envtest::AuditEntry;
using envtest::FleetBedOptions;
using std::chrono::minutes;

constexpr const char* kCluster = "demo";
constexpr const char* kPool = "pool";
// As the realistic cloud, but for the jitter: a thousand Nodes join within a minute. Within 15 s, as there,
// both cores are full with the API servers' work, and waiting for those would be most of what is measured
// (5.4 s, not 0.15 s).
constexpr std::string_view kSpreadCloud = R"(
seed: 7
latency: {create: 30s, remove: 10s, status: 0s, list: 0s, jitterPercent: 200}
boot: {register: 20s, ready: 0s, jitterPercent: 200}
heartbeat: {lease: 0s, status: 5m}
)";
constexpr int kRuns = 3;
constexpr int kRolled = 200;
constexpr int kSurge = kRolled / 10;  // of BenchFleet's MachineDeployments: 10 %

// When what a Machine's life consists of came to a server, in seconds.
struct Life {
  double created = 0;
  double given = 0;  // the last write of a provider or kubelet before it was available
  double available = 0;
};

double seconds_of(const AuditEntry& entry) {
  return static_cast<double>(must(MicroTime::parse(entry.at)).unix_micros()) / 1e6;
}

std::string_view name_of(const AuditEntry& entry) {
  return std::string_view(entry.object).substr(entry.object.find('/') + 1);
}

bool is_given(const AuditEntry& entry) {
  return entry.agent.starts_with("capstan-") || entry.agent == "simulated-kubelets";
}

bool says_available(const AuditEntry& entry) {
  boost::system::error_code trouble;
  const json::value body = json::parse(entry.body, trouble);
  const auto* conditions = trouble ? nullptr : body.find_pointer("/status/conditions", trouble);
  if (conditions == nullptr || !conditions->is_array()) return false;
  return std::ranges::any_of(conditions->get_array(), [](const json::value& one) {
    return one.at("type") == "Available" && one.at("status") == "True";
  });
}

// By name, of the Machines that were made and became available meanwhile.
std::map<std::string_view, Life> lives_in(const Spent& spent) {
  std::map<std::string_view, Life> lives;
  for (const AuditEntry& entry : spent.manager) {
    if (entry.resource == "machines" && entry.code == 201) lives[name_of(entry)].created = seconds_of(entry);
    if (entry.resource != "machines/status" || entry.code != 200 || !says_available(entry)) continue;
    const auto life = lives.find(name_of(entry));
    if (life != lives.end() && life->second.available == 0) life->second.available = seconds_of(entry);
  }
  for (const auto* log : {&spent.management, &spent.workload}) {
    for (const AuditEntry& entry : *log) {
      if (!is_given(entry) || !envtest::is_write(entry) || envtest::is_event(entry)) continue;
      const auto life = lives.find(name_of(entry));
      if (life == lives.end()) continue;
      if (const double at = seconds_of(entry); at < life->second.available)
        life->second.given = std::max(life->second.given, at);
    }
  }
  return lives;
}

void require(const std::map<std::string_view, Life>& lives, int expected) {
  for (const auto& [name, life] : lives) {
    if (life.given == 0 || life.available == 0)
      throw std::runtime_error(fmt::format("the audit logs do not tell when {} became available", name));
  }
  if (std::cmp_not_equal(lives.size(), expected))
    throw std::runtime_error(fmt::format("{} Machines were made, not {}", lives.size(), expected));
}

double added_p99(const std::map<std::string_view, Life>& lives) {
  std::vector<double> added;
  for (const auto& [name, life] : lives) added.push_back(life.available - life.given);
  std::ranges::sort(added);
  const auto at = [&](std::size_t percent) { return added[(added.size() - 1) * percent / 100]; };
  say(fmt::format("{} Machines: added in the median {:.3f} s, 99 of 100 within {:.3f} s, at most {:.3f} s",
                  added.size(), at(50), at(99), added.back()));
  return at(99);
}

// When the provider was asked to take a VM down, and when it had.
struct Removal {
  double asked = 0;
  double done = 0;
};

// What the provider took for each Machine that went, in the order in which they were asked for.
std::vector<double> removals_in(const Spent& spent) {
  std::map<std::string_view, Removal> removals;
  for (const AuditEntry& entry : spent.manager) {
    if (entry.resource == "drivermachines" && entry.verb == "delete" && entry.code == 200)
      removals[name_of(entry)].asked = seconds_of(entry);
  }
  for (const AuditEntry& entry : spent.management) {
    const auto found = removals.find(name_of(entry));
    if (found == removals.end() || !is_given(entry) || !envtest::is_write(entry)) continue;
    if (entry.resource == "drivermachines")
      found->second.done = std::max(found->second.done, seconds_of(entry));
  }
  std::vector<Removal> in_order;
  for (const auto& [name, removal] : removals) in_order.push_back(removal);
  std::ranges::sort(in_order, {}, &Removal::asked);
  std::vector<double> took;
  for (const Removal& each : in_order) took.push_back(std::max(0.0, each.done - each.asked));
  return took;
}

// What a rolling update would take if nothing but providers and kubelets took time: so many Machines are made
// at once, the next one when one of them is there and an old one is gone in its place.
double providers_time(const std::map<std::string_view, Life>& lives, const std::vector<double>& removals,
                      int at_once) {
  std::vector<Life> in_order;
  for (const auto& [name, life] : lives) in_order.push_back(life);
  std::ranges::sort(in_order, {}, &Life::created);
  if (removals.size() != in_order.size())
    throw std::runtime_error(fmt::format("{} Machines went, {} came", removals.size(), in_order.size()));
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at;
  for (int i = 0; i < at_once; ++i) free_at.push(0);
  double last = 0;
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const Life& life = in_order[i];
    const double end = free_at.top() + (life.given - life.created) + removals[i];
    free_at.pop();
    free_at.push(end);
    last = std::max(last, end);
  }
  return last;
}

double rolled_ratio(BenchFleet& fleet) {
  fleet.spent();
  const double begun = fleet.elapsed();
  fleet.set_version(kPool, "v1.36.0");
  fleet.await_settled(kPool, kRolled, minutes(30), "v1.36.0");
  const double took = fleet.elapsed() - begun;
  const Spent spent = fleet.spent();
  const auto lives = lives_in(spent);
  require(lives, kRolled);
  const double given = providers_time(lives, removals_in(spent), kSurge);
  say(fmt::format("{} Machines rolled in {:.1f} s, of which their providers took {:.1f} s", kRolled, took,
                  given));
  return took / given;
}

double made_p99(BenchFleet& fleet, int machines) {
  fleet.spent();
  fleet.scale(kPool, machines);
  fleet.await_settled(kPool, machines, minutes(15));
  const Spent spent = fleet.spent();
  const auto lives = lives_in(spent);
  require(lives, machines);
  return added_p99(lives);
}

void empty(BenchFleet& fleet) {
  fleet.scale(kPool, 0);
  fleet.await_settled(kPool, 0, minutes(15));
  fleet.await_quiet();
}

}  // namespace

Values times_added(const Place& place) {
  const int machines = place.machines > 0 ? place.machines : 1000;
  BenchFleet fleet(place, {.provider_flags = {kRealisticProvider},
                           .cloud = std::string(kSpreadCloud),
                           .audit = FleetBedOptions::Audit::Bodies});
  fleet.make_clusters(1);
  fleet.make_deployment(kCluster, kPool, 0);
  fleet.await_settled(kPool, 0, minutes(1));
  std::vector<double> runs;
  for (int run = 0; run < kRuns; ++run) {
    runs.push_back(made_p99(fleet, machines));
    empty(fleet);
  }
  std::ranges::sort(runs);
  fleet.scale(kPool, kRolled);
  fleet.await_settled(kPool, kRolled, minutes(15));
  fleet.await_quiet();
  const double p99 = runs[kRuns / 2];
  const double unit = fixed_work_ms();
  say(fmt::format("the fixed work takes {:.2f} ms now", unit));
  return {{"machine.added_seconds_p99", p99},
          {"machine.added_p99_ratio", 1000 * p99 / unit},
          {"roll.added_ratio", rolled_ratio(fleet)}};
}

}  // namespace capstan::bench
