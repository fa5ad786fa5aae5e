// sim: runs simulations from the command line; scripts/sim builds and calls it. A failing seed prints what
// was broken and the command that replays it; at the end stands where faults hit, and what should have been
// hit and was not.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ranges>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/options.h"
#include "test/mutants/mutants.h"
#include "test/simulation/fleet_world.h"
#include "test/simulation/known_mutants.h"
#include "test/simulation/rest_world.h"
#include "test/simulation/seed_runner.h"
#include "test/simulation/toy_world.h"

namespace capstan::simulation {
namespace {

constexpr std::uint64_t kWorthARow = 100;  // of the census
// So many seeds have to see every sort of fault wherever so many of them come to.
constexpr std::int64_t kSeedsOfAProof = 1000;
constexpr std::uint64_t kSeedsThatCome = 500;

struct Options {
  std::int64_t seed = 1;
  std::int64_t count = 1;
  int jobs = 2;
  bool story = false;
  bool switches = false;
  bool faults = true;
  bool census = true;
  bool mutants = false;
  int clusters = 100;
  int machines = 10000;
  std::string world = "fleet";
  std::string mutant = "none";
  std::string act = "usual";
  std::string promise = {};  // words of the breach that counts; empty: any
};

constexpr std::array kFlags = {
    flag("seed", &Options::seed, "the first seed", {.minimum = 0}),
    flag("count", &Options::count, "how many seeds", {.minimum = 1}),
    flag("jobs", &Options::jobs, "seeds run at the same time, in a process each; a story is told by one",
         {.minimum = 1}),
    flag("story", &Options::story, "tell what happens"),
    flag("switches", &Options::switches, "tell every switch between threads, too"),
    flag("faults", &Options::faults, "let things go wrong"),
    flag("census", &Options::census, "print where faults hit, after more than one seed"),
    flag("mutants", &Options::mutants,
         "take every safeguard of the world away in turn: the promise beside it has to be broken"),
    flag("world", &Options::world, "which world", {.choices = "fleet|toy|rest"}),
    flag("act", &Options::act,
         "what a clumsy user does: `usual` in every other seed, or in every seed one act, or several (a,b), "
         "or `all` of "
         "them, or `none`"),
    flag("clusters", &Options::clusters, "of the world `rest`", {.minimum = 1}),
    flag("machines", &Options::machines, "of the world `rest`, in all its clusters", {.minimum = 1}),
    flag("mutant", &Options::mutant,
         "leave one rule out: of the fleet a safeguard that test/simulation/README.md lists; of the toy "
         "'no gate', 'impatient gate', 'acts when overdue', 'acts unsynced', 'forgets deletions' or "
         "'counts living only'"),
};

void print(std::string_view line) { fmt::print("{}\n", line); }

struct Outcome {
  std::string broken = {};
  fakes::RunReport run = {};
  std::uint64_t crashes = 0;
};

// --- one seed ---

Outcome run_toy(const Options& options, std::uint64_t seed) {
  SimulationOptions simulation{.seed = seed, .faults = options.faults};
  for (const ToyMutant& each : kToyMutants) {
    if (to_string(each.mutant) == options.mutant) simulation.mutant = each.mutant;
  }
  if (options.story) simulation.story = print;
  if (options.switches) simulation.switches = print;
  const Verdict verdict = simulate(simulation);
  return {.broken = verdict.broken, .run = verdict.run, .crashes = verdict.crashes};
}

std::optional<Safeguard> safeguard_named(std::string_view name) {
  const auto found = std::ranges::find(kFleetMutants, name,
                                       [](const FleetMutant& each) { return to_string(each.safeguard); });
  return found == kFleetMutants.end() ? std::nullopt : std::optional(found->safeguard);
}

std::vector<mutants::Mutant> mutants_of(const Options& options) {
  std::vector<mutants::Mutant> all;
  const auto add = [&](std::string_view name, std::string_view promise) {
    all.push_back({.name = std::string(name), .promise = std::string(promise)});
  };
  if (options.world == "fleet") {
    for (const FleetMutant& each : kFleetMutants) add(to_string(each.safeguard), each.promise);
  } else if (options.world == "toy") {
    for (const ToyMutant& each : kToyMutants) add(to_string(each.mutant), each.promise);
  }
  return all;
}

bool is_mutant(const Options& options) {
  if (options.mutant == "none") return true;
  return std::ranges::any_of(mutants_of(options),
                             [&](const auto& mutant) { return mutant.name == options.mutant; });
}

// Nothing: there is no such act.
std::optional<std::vector<ClumsyAct>> acts_named(std::string_view name) {
  if (name == "none") return std::vector<ClumsyAct>();
  if (name == "usual" || name == "all") return std::vector<ClumsyAct>(kClumsyActs.begin(), kClumsyActs.end());
  std::vector<ClumsyAct> acts;
  for (const auto& word : std::views::split(name, ',')) {
    const std::string_view each(word.begin(), word.end());
    const auto act = std::ranges::find(kClumsyActs, each, [](ClumsyAct one) { return to_string(one); });
    if (act == kClumsyActs.end()) return {};
    acts.push_back(*act);
  }
  return acts;
}

Outcome run_fleet(const Options& options, std::uint64_t seed, Sum& sum) {
  const auto acts = acts_named(options.act).value();
  FleetOptions simulation{.seed = seed,
                          .faults = options.faults,
                          .clumsy_acts = acts,
                          .always_clumsy = options.act != "usual",
                          .without = safeguard_named(options.mutant)};
  if (options.story) simulation.story = print;
  if (options.switches) simulation.switches = print;
  const FleetVerdict verdict = simulate_fleet(simulation);
  sum.add({.faults = verdict.faults, .excused = verdict.excused, .acts = verdict.acts});
  return {.broken = verdict.broken, .run = verdict.run, .crashes = verdict.crashes};
}

void run_seed(const Options& options, std::uint64_t seed, Sum& sum) {
  const Outcome outcome = options.world == "fleet" ? run_fleet(options, seed, sum) : run_toy(options, seed);
  if (options.story) {
    fmt::print("seed {}: {} switches, {} s, {} crashes, trace {:016x}\n", seed, outcome.run.switches,
               std::chrono::duration_cast<Seconds>(outcome.run.elapsed).count(), outcome.crashes,
               outcome.run.trace_hash);
  }
  sum.crashes += outcome.crashes;
  if (outcome.broken.empty()) return;
  sum.add({.failed = 1});
  if (!options.promise.empty() && !mutants::is_about(outcome.broken, options.promise)) return;
  sum.add({.first_failed = seed});
  fmt::print("seed {} failed: {}\nreplay: scripts/sim --seed {} --story{}{}{}\n", seed, outcome.broken, seed,
             options.world == "fleet" ? "" : " --world toy",
             options.act == "usual" ? "" : " --act " + options.act,
             options.mutant == "none" ? "" : fmt::format(" --mutant '{}'", options.mutant));
  std::fflush(stdout);
}

// --- many ---

// Until all are done, or one has failed where that is what is looked for.
Sum run_all(const Options& options, bool until_one_fails) {
  return run_seeds({.first = static_cast<std::uint64_t>(options.seed),
                    .count = options.count,
                    .jobs = options.story || options.switches ? 1 : options.jobs,
                    .until_one_fails = until_one_fails},
                   [&](std::uint64_t seed, Sum& sum) { run_seed(options, seed, sum); });
}

void print_census(const Sum& sum) {
  fmt::print("{}", sum.faults.table(kWorthARow));
  fmt::print("acts:");
  for (const auto& [act, times] : sum.acts) fmt::print(" {} {},", act, times);
  fmt::print("\nlegal cases:");
  for (const auto& [legal, times] : sum.excused) fmt::print(" {} {},", to_string(legal), times);
  fmt::print("\n");
}

int run_plain(const Options& options, const Clock& clock) {
  const SteadyTime began = clock.steady_now();
  const Sum sum = run_all(options, false);
  const bool fleet = options.world == "fleet";
  if (options.census && options.count > 1 && fleet) print_census(sum);
  std::vector<std::string> lacking;
  if (fleet && options.faults && options.count >= kSeedsOfAProof) {
    lacking = sum.faults.lacks(kSeedsThatCome);
    for (std::string& each : acts_that_lack(sum.acts)) lacking.push_back(std::move(each));
  }
  for (const std::string& each : lacking) fmt::print("lacking: {}\n", each);
  const double seconds = std::chrono::duration<double>(clock.steady_now() - began).count();
  fmt::print("{} seeds, {} failed, {} crashes, {:.1f} s, {:.0f} seeds a minute\n", options.count, sum.failed,
             sum.crashes, seconds, static_cast<double>(options.count) * 60 / seconds);
  return sum.failed == 0 && lacking.empty() ? 0 : 1;
}

int run_rest(const Options& options) {
  RestOptions wanted{.seed = static_cast<std::uint64_t>(options.seed),
                     .clusters = options.clusters,
                     .machines = options.machines};
  if (options.story) wanted.story = print;
  const RestReport report = rest(wanted);
  if (!report.broken.empty()) {
    fmt::print("no rest: {}\n", report.broken);
    return 1;
  }
  fmt::print(
      "{} Machines in {} clusters, ten minutes of virtual time: {} requests, {} watches renewed, {} probes\n",
      options.machines, options.clusters, report.requests, report.watches, report.probes);
  for (const std::string& each : report.told) fmt::print("  {}\n", each);
  fmt::print("the manager started again: {} writes\n", report.writes_after_restart);
  for (const std::string& each : report.written) fmt::print("  {}\n", each);
  return 0;
}

std::optional<ClumsyAct> act_for(std::string_view safeguard) {
  const auto found = std::ranges::find(kFleetMutants, safeguard,
                                       [](const FleetMutant& each) { return to_string(each.safeguard); });
  return found == kFleetMutants.end() ? std::nullopt : found->act;
}

mutants::Verdict look_for(const mutants::Mutant& mutant, Options options) {
  const auto act = options.world == "fleet" ? act_for(mutant.name) : std::nullopt;
  options.mutant = mutant.name;
  options.act = act ? to_string(*act) : "none";
  options.promise = mutant.promise;
  const Sum sum = run_all(options, true);
  if (!sum.first_failed) return {.how = fmt::format("within {} seeds", options.count)};
  return {.noticed = true, .how = fmt::format("caught by seed {}", *sum.first_failed)};
}

int run_mutants(const Options& options) {
#ifndef CAPSTAN_DEFECTS
  if (options.world == "fleet") {
    fmt::print(stderr, "sim: built without CAPSTAN_DEFECTS, no safeguard can be taken away\n");
    return 2;
  }
#endif
  const auto unnoticed = mutants::count_unnoticed(
      mutants_of(options), [&](const mutants::Mutant& mutant) { return look_for(mutant, options); });
  return unnoticed == 0 ? 0 : 1;
}

// Large blocks are not given back to the system in between.
void keep_memory() {
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
  ::mallopt(M_MMAP_THRESHOLD, 64 << 20);
  ::mallopt(M_TOP_PAD, 16 << 20);
}

int run(std::span<const char* const> words) {
  keep_memory();
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
  if (!acts_named(options.act)) {
    fmt::print(stderr, "sim: there is no act {}\n", options.act);
    return 2;
  }
  if (!is_mutant(options)) {
    fmt::print(stderr, "sim: the world `{}` has no mutant {}; test/simulation/README.md lists them\n",
               options.world, options.mutant);
    return 2;
  }
  if (options.mutants && mutants_of(options).empty()) {
    fmt::print(stderr, "sim: the world `{}` has no mutants\n", options.world);
    return 2;
  }
  if (options.world == "rest") return run_rest(options);
  return options.mutants ? run_mutants(options) : run_plain(options, SystemClock());
}

}  // namespace
}  // namespace capstan::simulation

int main(int count, char** words) {
  return capstan::simulation::run({words + 1, static_cast<std::size_t>(count - 1)});
}
