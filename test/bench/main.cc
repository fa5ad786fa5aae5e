// bench [FIGURE...]: measures the figures the project promises and prints one JSON line each; exit 1 when one
// does not hold.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "test/bench/figure.h"

namespace capstan::bench {
namespace {

constexpr std::array kFigures = {
    Figure{"cache.bytes_per_machine", "B", 1536, Bound::AtMost, cache_bytes_per_machine},
    Figure{"cache.list_peak_mb", "MB", 20, Bound::AtMost, cache_list_peak_mb},
    Figure{"decode.ratio", "x", 1.5, Bound::AtLeast, decode_ratio},
    Figure{"watch.idle_kb", "KB", 45, Bound::AtMost, watch_idle_kb},
    Figure{"queue.keys_per_second", "1/s", 100000, Bound::AtLeast, queue_keys_per_second},
    Figure{"manager.cold_start_ms", "ms", 300, Bound::AtMost, manager_cold_start_ms},
    Figure{"manager.binary_mb", "MB", 15, Bound::AtMost, manager_binary_mb},
    Figure{"apiserver.writes_per_second", "x of kube-apiserver", 3, Bound::AtLeast, apiserver_writes_ratio},
    Figure{"machine.writes_to_available", "1/machine", 8, Bound::AtMost, nullptr, fleet_machine_costs},
    Figure{"machine.requests_to_available", "1/machine", 8, Bound::AtMost, nullptr, fleet_machine_costs},
    Figure{"machine.requests_to_gone", "1/machine", 9, Bound::AtMost, nullptr, fleet_machine_costs},
    Figure{"machine.workload_requests_to_gone", "1/machine", 2.5, Bound::AtMost, nullptr,
           fleet_machine_costs},
    Figure{"machine.cpu_ratio", "x of a fixed work", 7, Bound::AtMost, nullptr, fleet_machine_costs},
    Figure{"machine.create_time_ratio", "x of a plain client", 1.4, Bound::AtMost, nullptr,
           fleet_machine_costs},
    Figure{"roll.requests", "1/machine", 20, Bound::AtMost, nullptr, fleet_roll_costs},
    Figure{"roll.cpu_ratio", "x of a fixed work", 16, Bound::AtMost, nullptr, fleet_roll_costs},
    Figure{"machine.added_seconds_p99", "s", 0.5, Bound::AtMost, nullptr, times_added},
    Figure{"machine.added_p99_ratio", "x of a fixed work", 500, Bound::AtMost, nullptr, times_added},
    Figure{"roll.added_ratio", "x of its providers' time", 1.15, Bound::AtMost, nullptr, times_added},
    Figure{"upstream.create_cpu_ratio", "x of upstream's core", 0.09, Bound::AtMost, nullptr,
           costs_beside_upstream},
    Figure{"upstream.roll_cpu_ratio", "x of upstream's core", 0.04, Bound::AtMost, nullptr,
           costs_beside_upstream},
    Figure{"upstream.create_cpu_ratio_shipped", "x of upstream's core", 0.11, Bound::AtMost, nullptr,
           costs_beside_upstream_as_shipped},
    Figure{"upstream.roll_cpu_ratio_shipped", "x of upstream's core", 0.045, Bound::AtMost, nullptr,
           costs_beside_upstream_as_shipped},
    Figure{"upstream.delete_cpu_ratio_shipped", "x of upstream's core", 0.10, Bound::AtMost, nullptr,
           costs_beside_upstream_as_shipped},
    Figure{"upstream.delete_cpu_ratio", "x of upstream's core", 0.10, Bound::AtMost, nullptr,
           costs_beside_upstream},
    Figure{"upstream.wall_ratio_lifted.create", "x of upstream's core", 0.3, Bound::AtMost, nullptr,
           costs_beside_upstream},
    Figure{"upstream.wall_ratio_lifted.roll", "x of upstream's core", 0.35, Bound::AtMost, nullptr,
           costs_beside_upstream},
    Figure{"upstream.wall_ratio_lifted.delete", "x of upstream's core", 0.5, Bound::AtMost, nullptr,
           costs_beside_upstream},
    Figure{"upstream.create_requests_ratio", "x of upstream's core", 0.33, Bound::AtMost, nullptr,
           costs_beside_upstream_as_shipped},
    Figure{"upstream.roll_requests_ratio", "x of upstream's core", 0.43, Bound::AtMost, nullptr,
           costs_beside_upstream_as_shipped},
    Figure{"upstream.delete_requests_ratio", "x of upstream's core", 0.43, Bound::AtMost, nullptr,
           costs_beside_upstream_as_shipped},
    Figure{"upstream.wall_ratio.create", "x of upstream's core", 0.40, Bound::AtMost, nullptr,
           costs_beside_upstream_as_shipped},
    Figure{"upstream.wall_ratio.roll", "x of upstream's core", 0.45, Bound::AtMost, nullptr,
           costs_beside_upstream_as_shipped},
    Figure{"upstream.wall_ratio.delete", "x of upstream's core", 0.7, Bound::AtMost, nullptr,
           costs_beside_upstream_as_shipped},
    Figure{"upstream.apiserver_cpu_ratio.create", "x of upstream's core", 0.35, Bound::AtMost, nullptr,
           costs_beside_upstream_as_shipped},
    Figure{"upstream.apiserver_cpu_ratio.roll", "x of upstream's core", 0.35, Bound::AtMost, nullptr,
           costs_beside_upstream_as_shipped},
    Figure{"upstream.apiserver_cpu_ratio.delete", "x of upstream's core", 0.45, Bound::AtMost, nullptr,
           costs_beside_upstream_as_shipped},
    Figure{"upstream.rss_ratio", "x of upstream's core", 0.22, Bound::AtMost, nullptr,
           costs_beside_upstream_as_shipped},
    Figure{"upstream.rss_ratio_1000", "x of upstream's core", 0.22, Bound::AtMost, memory_beside_upstream},
    Figure{"machine.cost_growth", "x", 1.3, Bound::AtMost, nullptr, fleet_cost_growth},
    Figure{"idle.requests", "in 60 s", 0, Bound::AtMost, nullptr, fleet_at_rest},
    Figure{"idle.probes", "in 60 s, each cluster", 6, Bound::AtMost, nullptr, fleet_at_rest},
    Figure{"idle.cpu_percent", "%", 0.8, Bound::AtMost, nullptr, fleet_at_rest},
    Figure{"idle.cpu_ratio", "x of a fixed work a second", 8, Bound::AtMost, nullptr, fleet_at_rest},
    Figure{"idle.rss_mb", "MB", 80, Bound::AtMost, nullptr, fleet_at_rest},
    Figure{"idle.requests_virtual", "in 10 virtual min", 0, Bound::AtMost, fleet_at_rest_in_virtual_time},
    Figure{"restart.first_write_s", "s", 3, Bound::AtMost, nullptr, fleet_at_rest},
    Figure{"restart.first_write_ratio", "x of a fixed work", 3000, Bound::AtMost, nullptr, fleet_at_rest},
    Figure{"standby.first_write_s", "s after the Lease", 1, Bound::AtMost, standby_first_write_s},
    Figure{"takeover.writes", "to Machines, unlisted", 0, Bound::AtMost, takeover_writes},
    Figure{"pool.requests_per_node_ready", "1/node", 1.2, Bound::AtMost, nullptr, pool_costs},
    Figure{"pool.cpu_growth", "x", 2, Bound::AtMost, nullptr, pool_costs},
    Figure{"fleet.writes_per_grant", "1/grant", 2.1, Bound::AtMost, nullptr, fleet_grant_costs},
    Figure{"fleet.grant_ratio", "x", 1.5, Bound::AtMost, nullptr, fleet_grant_costs},
    Figure{"mhc.idle_requests", "in 30 s", 0, Bound::AtMost, nullptr, health_costs},
    Figure{"mhc.idle_cpu_percent", "%", 0.2, Bound::AtMost, nullptr, health_costs},
    Figure{"mhc.reaction_ms", "ms", 100, Bound::AtMost, nullptr, health_costs},
    Figure{"policy.cpu_ratio", "x of none, each change", 1.15, Bound::AtMost, nullptr, policy_costs},
    Figure{"policy.idle_requests", "in 60 s", 0, Bound::AtMost, nullptr, policy_costs},
    Figure{"policy.writes_per_replacement", "more than a health check's", 2, Bound::AtMost, nullptr,
           policy_costs},
    Figure{"brakes.cpu_ratio", "x of a policy without", 1.10, Bound::AtMost, nullptr, brake_costs},
    Figure{"brakes.idle_requests", "in 60 s", 0, Bound::AtMost, nullptr, brake_costs},
    Figure{"drain.evictions_per_pod", "1/pod", 40, Bound::AtMost, drain_evictions_per_pod},
    Figure{"webhook.admission_p99_ms", "ms", 5, Bound::AtMost, webhook_admission_p99_ms},
    Figure{"webhook.convert_ratio", "x of upstream's core", 0.5, Bound::AtMost, convert_ratio},
    Figure{"migration.seconds_per_1000", "s", 30, Bound::AtMost, migration_seconds_per_1000},
    Figure{"webhook.hostile_p99_ms", "ms", 100, Bound::AtMost, nullptr, webhook_costs_under_attack},
    Figure{"webhook.hostile_mb", "MB", 50, Bound::AtMost, nullptr, webhook_costs_under_attack},
    Figure{"probe.p99_ms", "ms", 50, Bound::AtMost, nullptr, webhook_costs_under_attack},
    Figure{"image.mb", "MB", 20, Bound::AtMost, nullptr, image_costs},
    Figure{"image.start_ms", "ms", 300, Bound::AtMost, nullptr, image_costs},
    Figure{"orphans.scan_ratio", "x of decoding the list", 3, Bound::AtMost, nullptr, orphan_costs},
    Figure{"orphans.cpu_percent", "% at rest", 0.1, Bound::AtMost, nullptr, orphan_costs},
    Figure{"bootstrap.user_data_kb", "KB", 16, Bound::AtMost, nullptr, bootstrap_costs},
    Figure{"bootstrap.writes_per_machine", "1/machine", 6, Bound::AtMost, nullptr, bootstrap_costs},
    Figure{"bootstrap.idle_requests", "in 60 virtual s", 0, Bound::AtMost, nullptr, bootstrap_costs},
    Figure{"agent.binary_mb", "MB", 8, Bound::AtMost, agent_binary_mb},
    Figure{"agent.rss_mb", "MB", 15, Bound::AtMost, nullptr, agent_costs},
    Figure{"agent.apply_s", "s", 2, Bound::AtMost, nullptr, agent_costs},
    Figure{"agent.requests_per_change", "1/change", 2, Bound::AtMost, nullptr, agent_costs},
    Figure{"agent.peak_rps", "requests in a second", 20, Bound::AtMost, agent_peak_rps},
    Figure{"driver.call_ratio.unix", "x of an echo", 3, Bound::AtMost, nullptr, driver_call_costs},
    Figure{"driver.call_ratio.https", "x of an echo", 3, Bound::AtMost, nullptr, driver_call_costs},
    Figure{"driver.cpu_ratio", "x of a driver inside", 1.3, Bound::AtMost, driver_cpu_ratio},
    Figure{"driver.hang_ratio", "x of the time alone", 1.2, Bound::AtMost, driver_hang_ratio},
    Figure{"sim.seeds_per_minute", "1/min, two processes", 300, Bound::AtLeast, fleet_seeds_per_minute},
};

constexpr std::string_view kHelp =
    R"(bench [FIGURE...]: measures what the project promises, one JSON line a figure

  --list         the figures and their limits
  --machines N   fleet figures and agent.peak_rps with so many Machines instead of their own number: a quick look
  --realistic    upstream.* with providers that take their time (VM 30 to 45 s, join 20 to 30 s): to be told,
                 the limits are those of providers that answer at once

A figure that can't be measured does not hold. Exit: 0 all hold, 1 some do not, 2 bad command line.
)";

Place place_of(const char* self) {
  const auto programs = std::filesystem::absolute(self).parent_path();
  const char* upstream = std::getenv("CAPSTAN_UPSTREAM");
  return {.programs = programs.string(),
          .crds = "config/crd/bases",
          .upstream = upstream != nullptr ? upstream : ""};
}

std::string lines_of(const Values& values) {
  std::string lines;
  for (const auto& [name, value] : values) lines += fmt::format("{} {}\n", name, value);
  return lines;
}

// Runs in the child: the value as text on the pipe, or why there is none.
int measure_into(int pipe, const Figure& figure, const Place& place) {
  std::string said;
  int code = 0;
  try {
    said = figure.measure ? fmt::format("{}", figure.measure(place)) : lines_of(figure.measure_all(place));
  } catch (const std::exception& error) {
    said = error.what();
    code = 1;
  }
  const auto written = write(pipe, said.data(), said.size());
  return written == static_cast<ssize_t>(said.size()) ? code : 1;
}

struct Measured {
  bool ok = false;
  std::string said = {};
};

Measured in_child(const Figure& figure, const Place& place) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("can't make a pipe");
  const pid_t child = fork();
  if (child == 0) _exit(measure_into(ends[1], figure, place));
  close(ends[1]);
  Measured measured;
  std::array<char, 4096> buffer{};
  for (ssize_t n = read(ends[0], buffer.data(), buffer.size()); n > 0;
       n = read(ends[0], buffer.data(), buffer.size()))
    measured.said.append(buffer.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  measured.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !measured.said.empty();
  return measured;
}

// One figure out of a run's lines.
Measured one_of(const Measured& run, std::string_view name) {
  if (!run.ok) return run;
  std::istringstream lines(run.said);
  std::string found;
  for (std::string value; lines >> found >> value;)
    if (found == name) return {.ok = true, .said = value};
  return {.said = fmt::format("its run does not tell {}", name)};
}

using Runs = std::map<Values (*)(const Place&), Measured>;

Measured measured(const Figure& figure, const Place& place, Runs& runs) {
  if (figure.measure) return in_child(figure, place);
  auto run = runs.find(figure.measure_all);
  if (run == runs.end()) run = runs.emplace(figure.measure_all, in_child(figure, place)).first;
  return one_of(run->second, figure.name);
}

bool holds(const Figure& figure, double value) {
  return figure.bound == Bound::AtMost ? value <= figure.limit : value >= figure.limit;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c < ' ' ? ' ' : c);
  return out;
}

bool report(const Figure& figure, const Place& place, Runs& runs) {
  const Measured seen = measured(figure, place, runs);
  const double value = seen.ok ? std::stod(seen.said) : 0;
  const bool good = seen.ok && holds(figure, value);
  fmt::print(R"({{"name":"{}","value":{},"unit":"{}","limit":{},"holds":{}{}}})"
             "\n",
             figure.name, seen.ok ? fmt::format("{:.4g}", value) : "null", figure.unit, figure.limit, good,
             seen.ok ? "" : fmt::format(R"(,"error":"{}")", escaped(seen.said)));
  std::fflush(stdout);
  return good;
}

int list() {
  for (const Figure& figure : kFigures)
    fmt::print("{:<30} {} {} {}\n", figure.name, figure.bound == Bound::AtMost ? "at most " : "at least",
               figure.limit, figure.unit);
  return 0;
}

int run(std::span<char*> words) {
  std::vector<std::string_view> wanted(words.begin() + 1, words.end());
  if (std::ranges::find(wanted, "--help") != wanted.end()) return std::cout << kHelp, 0;
  if (std::ranges::find(wanted, "--list") != wanted.end()) return list();
  Place place = place_of(words[0]);
  if (const auto flag = std::ranges::find(wanted, "--machines");
      flag != wanted.end() && flag + 1 != wanted.end()) {
    place.machines = std::stoi(std::string(flag[1]));
    wanted.erase(flag, flag + 2);
  }
  if (const auto flag = std::ranges::find(wanted, "--realistic"); flag != wanted.end()) {
    place.realistic = true;
    wanted.erase(flag);
  }
  for (const auto name : wanted) {
    if (std::ranges::find(kFigures, name, &Figure::name) != kFigures.end()) continue;
    std::cerr << "bench: no figure is called " << name << " (see --list)\n";
    return 2;
  }
  bool all = true;
  Runs runs;
  for (const Figure& figure : kFigures) {
    if (wanted.empty() || std::ranges::find(wanted, figure.name) != wanted.end())
      all = report(figure, place, runs) && all;
  }
  return all ? 0 : 1;
}

}  // namespace

std::span<const Figure> figures() { return kFigures; }

}  // namespace capstan::bench

int main(int argc, char** argv) { return capstan::bench::run({argv, static_cast<std::size_t>(argc)}); }
