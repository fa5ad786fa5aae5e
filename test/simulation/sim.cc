// sim: runs simulations from the command line; scripts/sim builds and calls it. A failing seed prints what
// was broken and the command that replays it; at the end stands where faults hit.
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/options.h"
#include "base/threads.h"
#include "test/simulation/fleet_world.h"
#include "test/simulation/toy_world.h"

namespace capstan::simulation {
namespace {

constexpr std::uint64_t kWorthARow = 100;     // of the census
constexpr std::uint64_t kOftenEnough = 3000;  // every sort of fault should have hit what happened so often

struct Options {
  std::int64_t seed = 1;
  std::int64_t count = 1;
  int jobs = 2;
  bool story = false;
  bool switches = false;
  bool faults = true;
  bool census = true;
  bool mutants = false;
  std::string world = "fleet";
  std::string mutant = "none";
};

constexpr std::array kFlags = {
    flag("seed", &Options::seed, "the first seed", {.minimum = 0}),
    flag("count", &Options::count, "how many seeds", {.minimum = 1}),
    flag("jobs", &Options::jobs, "seeds run at the same time; a story is told by one", {.minimum = 1}),
    flag("story", &Options::story, "tell what happens"),
    flag("switches", &Options::switches, "tell every switch between threads, too"),
    flag("faults", &Options::faults, "let things go wrong"),
    flag("census", &Options::census, "print where faults hit, after more than one seed"),
    flag("mutants", &Options::mutants, "take every safeguard away in turn: each has to be noticed"),
    flag("world", &Options::world, "which world", {.choices = "fleet|toy"}),
    flag("mutant", &Options::mutant,
         "leave one rule out: of the fleet consistency-gate, create-expectation, owner-uid, instance-key or "
         "array-versions; of the toy 'no gate', 'impatient gate', 'acts when overdue', 'acts unsynced', "
         "'forgets deletions' or 'counts living only'"),
};

void print(std::string_view line) { fmt::print("{}\n", line); }

struct Outcome {
  std::string broken = {};
  fakes::RunReport run = {};
  std::uint64_t crashes = 0;
};

// What all seeds together have seen.
struct Sum {
  FaultCensus faults = {};
  std::map<LegalCase, std::uint64_t> excused = {};
  std::map<std::string, std::uint64_t> acts = {};
  std::int64_t failed = 0;
  std::uint64_t crashes = 0;
  std::optional<std::uint64_t> first_failed = {};
};

// --- one seed ---

Outcome run_toy(const Options& options, std::uint64_t seed) {
  SimulationOptions simulation{.seed = seed, .faults = options.faults};
  for (const Mutant mutant : {Mutant::NoGate, Mutant::ImpatientGate, Mutant::ActsWhenOverdue,
                              Mutant::ActsUnsynced, Mutant::ForgetsDeletions, Mutant::CountsLivingOnly}) {
    if (to_string(mutant) == options.mutant) simulation.mutant = mutant;
  }
  if (options.story) simulation.story = print;
  if (options.switches) simulation.switches = print;
  const Verdict verdict = simulate(simulation);
  return {.broken = verdict.broken, .run = verdict.run, .crashes = verdict.crashes};
}

std::optional<Safeguard> safeguard_named(std::string_view name) {
  for (const Safeguard safeguard : kSafeguards) {
    if (to_string(safeguard) == name) return safeguard;
  }
  return {};
}

Outcome run_fleet(const Options& options, std::uint64_t seed, Guarded<Sum>& sum) {
  FleetOptions simulation{.seed = seed, .faults = options.faults, .without = safeguard_named(options.mutant)};
  if (options.story) simulation.story = print;
  if (options.switches) simulation.switches = print;
  const FleetVerdict verdict = simulate_fleet(simulation);
  sum.with([&](Sum& all) {
    all.faults.add(verdict.faults);
    for (const auto& [legal, times] : verdict.excused) all.excused[legal] += times;
    for (const auto& [act, times] : verdict.acts) all.acts[act] += times;
  });
  return {.broken = verdict.broken, .run = verdict.run, .crashes = verdict.crashes};
}

void run_seed(const Options& options, std::uint64_t seed, Guarded<Sum>& sum) {
  const Outcome outcome = options.world == "fleet" ? run_fleet(options, seed, sum) : run_toy(options, seed);
  if (options.story) {
    fmt::print("seed {}: {} switches, {} s, {} crashes, trace {:016x}\n", seed, outcome.run.switches,
               std::chrono::duration_cast<Seconds>(outcome.run.elapsed).count(), outcome.crashes,
               outcome.run.trace_hash);
  }
  sum.with([&](Sum& all) {
    all.crashes += outcome.crashes;
    if (outcome.broken.empty()) return;
    ++all.failed;
    all.first_failed = std::min(seed, all.first_failed.value_or(seed));
    fmt::print("seed {} failed: {}\nreplay: scripts/sim --seed {} --story{}{}\n", seed, outcome.broken, seed,
               options.world == "fleet" ? "" : " --world toy",
               options.mutant == "none" ? "" : fmt::format(" --mutant '{}'", options.mutant));
    std::fflush(stdout);
  });
}

// --- many ---

// Until all are done, or one has failed where that is what is looked for.
Sum run_seeds(const Options& options, bool until_one_fails) {
  Guarded<Sum> sum;
  std::atomic<std::int64_t> next = 0;
  const auto work = [&](const std::stop_token&) {
    for (std::int64_t i = next++; i < options.count; i = next++) {
      if (until_one_fails && sum.with([](const Sum& all) { return all.failed > 0; })) return;
      run_seed(options, static_cast<std::uint64_t>(options.seed + i), sum);
    }
  };
  {
    SystemThreads threads;
    std::vector<std::unique_ptr<Thread>> workers;
    const int jobs = options.story || options.switches ? 1 : options.jobs;
    for (int i = 0; i < jobs; ++i) workers.push_back(threads.spawn("seeds", work));
    for (const auto& worker : workers) worker->join();
  }
  return sum.with([](Sum& all) { return std::move(all); });
}

void print_census(const Sum& sum) {
  fmt::print("{}", sum.faults.table(kWorthARow));
  for (const std::string& zero : sum.faults.zeros(kOftenEnough)) fmt::print("never: {}\n", zero);
  fmt::print("acts:");
  for (const auto& [act, times] : sum.acts) fmt::print(" {} {},", act, times);
  fmt::print("\nlegal cases:");
  for (const auto& [legal, times] : sum.excused) fmt::print(" {} {},", to_string(legal), times);
  fmt::print("\n");
}

int run_plain(const Options& options, const Clock& clock) {
  const SteadyTime began = clock.steady_now();
  const Sum sum = run_seeds(options, false);
  if (options.census && options.count > 1 && options.world == "fleet") print_census(sum);
  const double seconds = std::chrono::duration<double>(clock.steady_now() - began).count();
  fmt::print("{} seeds, {} failed, {} crashes, {:.1f} s, {:.0f} seeds a minute\n", options.count, sum.failed,
             sum.crashes, seconds, static_cast<double>(options.count) * 60 / seconds);
  return sum.failed == 0 ? 0 : 1;
}

int run_mutants(Options options) {
#ifdef CAPSTAN_DEFECTS
  int missed = 0;
  for (const Safeguard safeguard : kSafeguards) {
    options.mutant = to_string(safeguard);
    const Sum sum = run_seeds(options, true);
    missed += sum.failed == 0 ? 1 : 0;
    fmt::print("without {}: {}\n", options.mutant,
               sum.first_failed ? fmt::format("caught by seed {}", *sum.first_failed)
                                : fmt::format("NOT CAUGHT within {} seeds", options.count));
    std::fflush(stdout);
  }
  return missed == 0 ? 0 : 1;
#else
  (void)options;
  fmt::print(stderr, "sim: built without CAPSTAN_DEFECTS, no safeguard can be taken away\n");
  return 2;
#endif
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
  return options.mutants ? run_mutants(options) : run_plain(options, SystemClock());
}

}  // namespace
}  // namespace capstan::simulation

int main(int count, char** words) {
  return capstan::simulation::run({words + 1, static_cast<std::size_t>(count - 1)});
}
