// joining: runs the simulation of machines that join, seed after seed. A failing seed prints what was broken
// and the command that replays it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include "base/clock.h"
#include "base/options.h"
#include "test/joining/world.h"
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
};

constexpr std::array kFlags = {
    flag("seed", &Options::seed, "the first seed", {.minimum = 0}),
    flag("count", &Options::count, "how many seeds", {.minimum = 1}),
    flag("jobs", &Options::jobs, "seeds run at the same time, in a process each", {.minimum = 1}),
    flag("story", &Options::story, "tell what happens"),
    flag("faults", &Options::faults, "let things go wrong"),
};

void run_seed(const Options& options, std::uint64_t seed, Sum& sum) {
  JoiningOptions wanted{.seed = seed, .faults = options.faults};
  if (options.story) wanted.story = [](std::string_view line) { fmt::print("{}\n", line); };
  const JoiningVerdict verdict = simulate_joining(wanted);
  const std::string& broken = verdict.broken;
  if (options.story)
    fmt::print("seed {}: {} switches, {} s, {} crashes, trace {:016x}\n", seed, verdict.run.switches,
               std::chrono::duration_cast<Seconds>(verdict.run.elapsed).count(), verdict.crashes,
               verdict.run.trace_hash);
  sum.add({.acts = verdict.acts, .crashes = verdict.crashes});
  if (broken.empty()) return;
  sum.add({.failed = 1, .first_failed = seed});
  fmt::print("seed {} failed: {}\nreplay: build/dev/bin/joining --seed {} --story\n", seed, broken, seed);
  std::fflush(stdout);
}

Sum run_all(const Options& options) {
  return simulation::run_seeds({.first = static_cast<std::uint64_t>(options.seed),
                                .count = options.count,
                                .jobs = options.story ? 1 : options.jobs},
                               [&](std::uint64_t seed, Sum& sum) { run_seed(options, seed, sum); });
}

int run_plain(const Options& options, const Clock& clock) {
  const SteadyTime began = clock.steady_now();
  const Sum sum = run_all(options);
  for (const auto& [act, times] : sum.acts) fmt::print("{:>8} x {}\n", times, act);
  const double seconds = std::chrono::duration<double>(clock.steady_now() - began).count();
  fmt::print("{} seeds, {} failed, {} crashes, {:.1f} s\n", options.count, sum.failed, sum.crashes, seconds);
  return sum.failed == 0 ? 0 : 1;
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
  return run_plain(options, SystemClock());
}

}  // namespace
}  // namespace capstan::joining

int main(int count, char** words) {
  return capstan::joining::run({words + 1, static_cast<std::size_t>(count - 1)});
}
