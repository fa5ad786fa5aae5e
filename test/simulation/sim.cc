// sim: runs simulations from the command line; scripts/sim builds and calls it. A failing seed prints what
// was broken and the command that replays it.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <span>

#include "base/clock.h"
#include "base/options.h"
#include "test/simulation/fleet_world.h"
#include "test/simulation/toy_world.h"

namespace capstan::simulation {
namespace {

struct Options {
  std::int64_t seed = 1;
  std::int64_t count = 1;
  bool story = false;
  bool switches = false;
  bool faults = true;
  std::string world = "fleet";
  std::string mutant = "none";
};

constexpr std::array kFlags = {
    flag("seed", &Options::seed, "the first seed", {.minimum = 0}),
    flag("count", &Options::count, "how many seeds", {.minimum = 1}),
    flag("story", &Options::story, "tell what happens"),
    flag("switches", &Options::switches, "tell every switch between threads, too"),
    flag("faults", &Options::faults, "let things go wrong"),
    flag("world", &Options::world, "which world", {.choices = "fleet|toy"}),
    flag("mutant", &Options::mutant, "leave one rule out, to see it noticed",
         {.choices = "none|no gate|impatient gate|acts when overdue|acts unsynced|forgets deletions|counts "
                     "living only"}),
};

Mutant mutant_named(std::string_view name) {
  for (const Mutant mutant : {Mutant::NoGate, Mutant::ImpatientGate, Mutant::ActsWhenOverdue,
                              Mutant::ActsUnsynced, Mutant::ForgetsDeletions, Mutant::CountsLivingOnly}) {
    if (to_string(mutant) == name) return mutant;
  }
  return Mutant::None;
}

void print(std::string_view line) { fmt::print("{}\n", line); }

bool run_fleet_seed(const Options& options, std::uint64_t seed) {
  FleetOptions simulation{.seed = seed, .faults = options.faults};
  if (options.story) simulation.story = print;
  if (options.switches) simulation.switches = print;
  const FleetVerdict verdict = simulate_fleet(simulation);
  if (options.story) {
    fmt::print("seed {}: {} switches, {} s, {} crashes, trace {:016x}\n", seed, verdict.run.switches,
               std::chrono::duration_cast<Seconds>(verdict.run.elapsed).count(), verdict.crashes,
               verdict.run.trace_hash);
  }
  if (verdict.good()) return true;
  fmt::print("seed {} failed: {}\nreplay: scripts/sim --seed {} --story\n", seed, verdict.broken, seed);
  return false;
}

bool run_seed(const Options& options, std::uint64_t seed) {
  if (options.world == "fleet") return run_fleet_seed(options, seed);
  SimulationOptions simulation{
      .seed = seed, .mutant = mutant_named(options.mutant), .faults = options.faults};
  if (options.story) simulation.story = print;
  if (options.switches) simulation.switches = print;
  const Verdict verdict = simulate(simulation);
  if (options.story) {
    for (const auto& [what, times] : verdict.fired) {
      fmt::print("{:>6} {} {}\n", times, to_string(what.first), to_string(what.second));
    }
    fmt::print("seed {}: {} switches, {} s, {} crashes, trace {:016x}\n", seed, verdict.run.switches,
               std::chrono::duration_cast<Seconds>(verdict.run.elapsed).count(), verdict.crashes,
               verdict.run.trace_hash);
  }
  if (verdict.good()) return true;
  fmt::print("seed {} failed: {}\nreplay: scripts/sim --seed {} --story{}\n", seed, verdict.broken, seed,
             options.mutant == "none" ? "" : fmt::format(" --mutant '{}'", options.mutant));
  return false;
}

int run(std::span<const char* const> words) {
  Options options;
  Flags flags;
  flags.add("simulation", options, kFlags);
  const auto parsed = flags.parse(words);
  if (!parsed) {
    fmt::print(stderr, "sim: {}\n", parsed.error().message);
    return 2;
  }
  if (parsed->help) {
    fmt::print("{}", flags.help("sim [flags]"));
    return 0;
  }
  const SystemClock clock;
  const SteadyTime began = clock.steady_now();
  std::int64_t failed = 0;
  for (std::int64_t i = 0; i < options.count; ++i) {
    failed += run_seed(options, static_cast<std::uint64_t>(options.seed + i)) ? 0 : 1;
  }
  fmt::print("{} seeds, {} failed, {:.1f} s\n", options.count, failed,
             std::chrono::duration<double>(clock.steady_now() - began).count());
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace capstan::simulation

int main(int count, char** words) {
  return capstan::simulation::run({words + 1, static_cast<std::size_t>(count - 1)});
}
