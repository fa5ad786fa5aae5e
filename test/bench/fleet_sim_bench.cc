// How many whole-fleet simulations a minute holds; a seed that breaks a promise spoils the figure.
#include <chrono>
#include <stdexcept>

#include "base/clock.h"
#include "test/bench/figure.h"
#include "test/envtest/child_process.h"

namespace capstan::bench {

double fleet_seeds_per_minute(const Place& place) {
  constexpr int kSeeds = 100;
  const SystemClock clock;
  const SteadyTime begun = clock.steady_now();
  const auto run = envtest::run({.argv = {place.programs + "/sim", "--count", std::to_string(kSeeds)}},
                                std::chrono::minutes(10));
  if (!run) throw std::runtime_error(run.error().describe());
  if (run->exit_code != 0) throw std::runtime_error("sim: " + run->out + run->err);
  return kSeeds / std::chrono::duration<double, std::ratio<60>>(clock.steady_now() - begun).count();
}

}  // namespace capstan::bench
