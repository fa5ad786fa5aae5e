// capstan-agent on a real kube-apiserver: its size, what it holds after changes, how soon a change of the
// Secret has restarted a unit, and what it asks for that.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "test/bench/bench_fleet.h"
#include "test/bench/figure.h"
#include "test/bench/memory.h"
#include "test/envtest/agent_ground_fixture.h"
#include "test/envtest/audit.h"
#include "test/envtest/fleet_bed.h"
#include "test/envtest/package_roles.h"

namespace capstan::bench {
namespace {

using envtest::AgentGround;
using envtest::AuditEntry;

constexpr int kChangesToApply = 10;
constexpr auto kRest = std::chrono::seconds(3);  // longer than the agent leaves between two rounds

// From kubectl's start to the restart, as the file of the fake systemctl tells it. The agent has been at
// rest.
double seconds_to_apply(AgentGround& ground, int change) {
  const std::string content = fmt::format("{}", change);
  const auto restarts = ground.restarts();
  ground.pause(kRest);
  const SystemClock clock;
  const SteadyTime begun = clock.steady_now();
  ground.offer(envtest::config(content));
  if (!ground.eventually([&] { return ground.restarts() > restarts; }))
    throw std::runtime_error("no unit was restarted: " + envtest::content_of(ground.log()));
  const double took = std::chrono::duration<double>(clock.steady_now() - begun).count();
  const auto reported = agent::checksum_of(envtest::config(content));
  if (!ground.eventually([&] { return ground.applied() == reported; }))
    throw std::runtime_error("the agent reports nothing");
  return took;
}

double asked_by_agent(const std::vector<AuditEntry>& entries) {
  const auto asked = std::ranges::count_if(entries, [](const AuditEntry& entry) {
    return entry.agent == "capstan-agent" && !envtest::is_watch(entry);
  });
  return static_cast<double>(asked);
}

}  // namespace

double agent_binary_mb(const Place& place) {
  return static_cast<double>(std::filesystem::file_size(place.programs + "/capstan-agent")) / 1e6;
}

// The time is that of kubectl, which changes the Secret, and of the agent.
Values agent_costs(const Place& place) {
  testing::FLAGS_gtest_throw_on_failure = true;
  AgentGround ground(place.programs, std::string(envtest::kAuditRequests));
  ground.start();
  ground.settle(envtest::config("as it was"));
  const auto agent = must(envtest::ChildProcess::start({.argv = ground.command()}, ground.log()));
  seconds_to_apply(ground, 0);  // it has connected
  envtest::AuditReader audit(ground.servers().audit_log());
  must(audit.more());
  std::vector<double> times;
  for (int change = 1; change <= kChangesToApply; ++change) times.push_back(seconds_to_apply(ground, change));
  std::ranges::sort(times);
  say(fmt::format("applied in the median after {:.2f} s, at most {:.2f} s", times[times.size() / 2],
                  times.back()));
  return {{"agent.apply_s", times.back()},
          {"agent.requests_per_change", asked_by_agent(must(audit.more())) / kChangesToApply},
          {"agent.rss_mb", static_cast<double>(envtest::resident_bytes_of(agent.pid())) / 1e6}};
}

}  // namespace capstan::bench
