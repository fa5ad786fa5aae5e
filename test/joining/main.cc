// joining: runs the simulation of machines that join, seed after seed. A failing seed prints what was broken
// and the command that replays it. With --mutants each safeguard is taken away in turn.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include "base/clock.h"
#include "base/options.h"
#include "test/joining/census.h"
#include "test/joining/known_mutants.h"
#include "test/joining/world.h"
#include "test/mutants/mutants.h"
#include "test/simulation/seed_runner.h"

namespace capstan::joining {
namespace {

using simulation::Sum;

struct Options {
  std::int64_t seed = 1;
  std::int64_t count = 1;
  int jobs = 2;
  bool story = false;
  bool faults = true;
  bool mutants = false;
  std::string mutant = "none";
};

constexpr std::array kFlags = {
    flag("seed", &Options::seed, "the first seed", {.minimum = 0}),
    flag("count", &Options::count, "how many seeds", {.minimum = 1}),
    flag("jobs", &Options::jobs, "seeds run at the same time, in a process each", {.minimum = 1}),
    flag("story", &Options::story, "tell what happens"),
    flag("faults", &Options::faults, "let things go wrong"),
    flag("mutant", &Options::mutant, "leave out a safeguard that test/joining/README.md lists"),
    flag("mutants", &Options::mutants,
         "take every safeguard away in turn: the promise beside it has to be broken"),
};

const JoiningMutant* mutant_named(std::string_view name) {
  const auto found = std::ranges::find(kJoiningMutants, name,
                                       [](const JoiningMutant& each) { return to_string(each.safeguard); });
  return found == kJoiningMutants.end() ? nullptr : found;
}

std::vector<mutants::Mutant> all_mutants() {
  std::vector<mutants::Mutant> all;
  for (const JoiningMutant& each : kJoiningMutants)
    all.push_back({.name = std::string(to_string(each.safeguard)), .promise = std::string(each.promise)});
  return all;
}

void run_seed(const Options& options, std::uint64_t seed, Sum& sum) {
  JoiningOptions wanted{.seed = seed, .faults = options.faults};
  const JoiningMutant* mutant = mutant_named(options.mutant);
  if (mutant != nullptr) wanted.without = mutant->safeguard;
  if (options.story) wanted.story = [](std::string_view line) { fmt::print("{}\n", line); };
  const JoiningVerdict verdict = simulate_joining(wanted);
  const std::string& broken = verdict.broken;
  if (options.story)
    fmt::print("seed {}: {} switches, {} s, {} crashes, trace {:016x}\n", seed, verdict.run.switches,
               std::chrono::duration_cast<Seconds>(verdict.run.elapsed).count(), verdict.crashes,
               verdict.run.trace_hash);
  sum.add({.acts = verdict.acts, .crashes = verdict.crashes});
  if (broken.empty()) return;
  sum.add({.failed = 1});
  if (mutant != nullptr && !mutants::is_about(broken, mutant->promise)) return;
  sum.add({.first_failed = seed});
  fmt::print("seed {} failed: {}\nreplay: build/dev/bin/joining --seed {} --story{}\n", seed, broken, seed,
             mutant == nullptr ? "" : " --mutant " + options.mutant);
  std::fflush(stdout);
}

// Until all are done, or one has failed where that is what is looked for.
Sum run_all(const Options& options, bool until_one_fails) {
  return simulation::run_seeds({.first = static_cast<std::uint64_t>(options.seed),
                                .count = options.count,
                                .jobs = options.story ? 1 : options.jobs,
                                .until_one_fails = until_one_fails},
                               [&](std::uint64_t seed, Sum& sum) { run_seed(options, seed, sum); });
}

std::vector<std::string> what_lacks(const Options& options, const Sum& sum) {
  if (!options.faults || options.count < kSeedsForAll) return {};
  return acts_that_lack(sum.acts);
}

int run_plain(const Options& options, const Clock& clock) {
  const SteadyTime began = clock.steady_now();
  const Sum sum = run_all(options, false);
  for (const auto& [act, times] : sum.acts) fmt::print("{:>8} x {}\n", times, act);
  const double seconds = std::chrono::duration<double>(clock.steady_now() - began).count();
  fmt::print("{} seeds, {} failed, {} crashes, {:.1f} s\n", options.count, sum.failed, sum.crashes, seconds);
  const auto lacking = what_lacks(options, sum);
  for (const std::string& each : lacking) fmt::print("{}\n", each);
  return sum.failed == 0 && lacking.empty() ? 0 : 1;
}

mutants::Verdict look_for(const mutants::Mutant& mutant, Options options) {
  options.mutant = mutant.name;
  options.seed = mutant_named(mutant.name)->begin;
  const Sum sum = run_all(options, true);
  if (!sum.first_failed) return {.how = fmt::format("within {} seeds", options.count)};
  return {.noticed = true, .how = fmt::format("caught by seed {}", *sum.first_failed)};
}

int run_mutants(const Options& options) {
#ifndef CAPSTAN_DEFECTS
  fmt::print(stderr, "joining: built without CAPSTAN_DEFECTS, no safeguard can be taken away\n");
  return 2;
#endif
  const auto unnoticed = mutants::count_unnoticed(
      all_mutants(), [&](const mutants::Mutant& mutant) { return look_for(mutant, options); });
  return unnoticed == 0 ? 0 : 1;
}

int run(std::span<const char* const> words) {
  testing::FLAGS_gtest_throw_on_failure = true;  // of the fixtures it is made of
  Options options;
  Flags flags;
  flags.add("simulation", options, kFlags);
  const auto parsed = flags.parse(words);
  if (!parsed) {
    fmt::print(stderr, "joining: {}\n", parsed.error().message);
    return 2;
  }
  if (parsed->help) {
    fmt::print("{}", flags.help("joining [flags]"));
    return 0;
  }
  if (options.mutant != "none" && mutant_named(options.mutant) == nullptr) {
    fmt::print(stderr, "joining: there is no mutant {}; test/joining/README.md lists them\n", options.mutant);
    return 2;
  }
  return options.mutants ? run_mutants(options) : run_plain(options, SystemClock());
}

}  // namespace
}  // namespace capstan::joining

int main(int count, char** words) {
  return capstan::joining::run({words + 1, static_cast<std::size_t>(count - 1)});
}
