// How many requests a second 1,000 agents make at most while one change of their NodeConfig gets to all of
// them. The real provider releases the waves, on embedded servers in virtual time.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "bootstrap/node_config_fixture.h"
#include "test/bench/agent_crowd.h"
#include "test/bench/bench_fleet.h"
#include "test/bench/figure.h"

namespace capstan::bench {
namespace {

using bootstrap::NodeConfigFixture;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kAgents = 1000;
constexpr auto kStarts = minutes(10);  // the machines were not made in the same second
constexpr auto kAfterwards = minutes(20);
constexpr auto kLongest = std::chrono::hours(4);

std::string name_of(std::size_t index) { return fmt::format("m{}", index); }

// Machines that have joined long ago, without the bootstrap of each.
void make_machines(NodeConfigFixture& world, std::size_t count) {
  world.pause_cluster(true);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = name_of(i);
    world.add_machine(name, "data");
    world.add_ready_node(name);
    world.join(name);
  }
  world.pause_cluster(false);
}

void start_agents(NodeConfigFixture& world, AgentCrowd& crowd, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    crowd.add(name_of(i), "node-of-" + name_of(i),
              world.baton.steady_now() + Nanoseconds(kStarts) * i / count);
}

bool all_report(NodeConfigFixture& world, std::size_t count) {
  const auto status = world.get<api::NodeConfig>("workers")->status;
  return world.stands() && world.ready().starts_with("Ready") &&
         status.up_to_date_nodes == static_cast<std::int32_t>(count);
}

Nanoseconds until_all_report(NodeConfigFixture& world, std::size_t count) {
  const SteadyTime begun = world.baton.steady_now();
  while (!all_report(world, count)) {
    if (world.baton.steady_now() > begun + kLongest)
      throw std::runtime_error("the change does not get to all: " + world.ready());
    world.sleep(seconds(5));
  }
  return world.baton.steady_now() - begun;
}

std::string text_of(const Load& load) {
  std::string text;
  for (const auto& [kind, count] : load.kinds)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
  return text;
}

double busiest(const std::map<std::int64_t, Load>& load) {
  Load most;
  int all = 0;
  int with_watches = 0;
  for (const auto& [second, asked] : load) {
    if (asked.requests > most.requests) most = asked;
    all += asked.requests;
    with_watches = std::max(with_watches, asked.requests + asked.watches);
  }
  say(fmt::format("at most {} requests in a second ({}), {} with the watches that were opened; {} in all",
                  most.requests, text_of(most), with_watches, all));
  return most.requests;
}

// Of one change, and of the time after it: what all hear at once they may not answer together later on.
double peak_of_a_change(NodeConfigFixture& world, std::size_t count) {
  AgentCrowd crowd(world.baton, world.workload_api, world.workload);
  start_agents(world, crowd, count);
  const auto agents = world.baton.spawn("agents", [&](const std::stop_token& stop) { crowd.live(stop); });
  until_all_report(world, count);
  world.sleep(kStarts);
  crowd.take_load();
  world.change_file("2");
  const Nanoseconds took = until_all_report(world, count);
  world.sleep(kAfterwards);
  say(fmt::format("{} Nodes had the change after {} min", count,
                  std::chrono::duration_cast<minutes>(took).count()));
  return busiest(crowd.take_load());
}

}  // namespace

double agent_peak_rps(const Place& place) {
  testing::FLAGS_gtest_throw_on_failure = true;
  const std::size_t count = place.machines > 0 ? static_cast<std::size_t>(place.machines) : kAgents;
  NodeConfigFixture world;
  double peak = 0;
  world.run([&] {
    world.begin();
    world.add_node_config();
    make_machines(world, count);
    peak = peak_of_a_change(world, count);
  });
  if (peak == 0) throw std::runtime_error("the agents asked for nothing");
  return peak;
}

}  // namespace capstan::bench
