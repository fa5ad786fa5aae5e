// What is measured with whole fleets in virtual time: how many simulations a minute holds, and what a big
// fleet at rest asks for. A run that breaks a promise spoils its figure.
#include <fmt/format.h>

#include <chrono>
#include <stdexcept>

#include "base/clock.h"
#include "test/bench/bench_fleet.h"
#include "test/bench/figure.h"
#include "test/envtest/child_process.h"

namespace capstan::bench {
namespace {

std::string sim(const Place& place, std::vector<std::string> words, std::chrono::minutes limit) {
  words.insert(words.begin(), place.programs + "/sim");
  const auto run = envtest::run({.argv = std::move(words)}, limit);
  if (!run) throw std::runtime_error(run.error().describe());
  if (run->exit_code != 0) throw std::runtime_error("sim: " + run->out + run->err);
  return run->out;
}

}  // namespace

double fleet_seeds_per_minute(const Place& place) {
  constexpr int kSeeds = 200;
  const SystemClock clock;
  const SteadyTime begun = clock.steady_now();
  sim(place, {"--count", std::to_string(kSeeds)}, std::chrono::minutes(10));
  return kSeeds / std::chrono::duration<double, std::ratio<60>>(clock.steady_now() - begun).count();
}

// Watches begun again and probes are printed apart; there is no Lease, for there is one manager.
double fleet_at_rest_in_virtual_time(const Place& place) {
  const int machines = place.machines > 0 ? place.machines : 10000;
  const std::string out =
      sim(place, {"--world", "rest", "--machines", std::to_string(machines)}, std::chrono::minutes(30));
  say(out);
  const auto at = out.find("virtual time: ");
  if (at == std::string::npos) throw std::runtime_error("sim tells nothing of a fleet at rest: " + out);
  return std::stod(out.substr(at + std::string_view("virtual time: ").size()));
}

}  // namespace capstan::bench
