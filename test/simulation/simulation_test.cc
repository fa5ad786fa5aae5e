#include <gmock/gmock.h>

#include <set>

#include "test/simulation/toy_world.h"

namespace capstan::simulation {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kSeeds = 30;
constexpr std::size_t kKindsOfFaults = 12;  // the rarest one needs more seeds
#else
constexpr std::uint64_t kSeeds = 300;
constexpr std::size_t kKindsOfFaults = 13;
#endif
constexpr std::uint64_t kMutantSeeds = 1000;  // the first one that notices ends the search

TEST(Simulation, KeepsItsPromisesUnderEverySeed) {
  std::set<fakes::Fault> seen;
  std::uint64_t crashes = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Verdict verdict = simulate({.seed = seed});

    ASSERT_TRUE(verdict.good()) << verdict.broken << "\nreplay: scripts/sim --seed " << seed << " --story";
    for (const auto& [what, times] : verdict.fired) seen.insert(what.second);
    crashes += verdict.crashes;
  }
  EXPECT_EQ(seen.size(), kKindsOfFaults) << "not every fault hit something";
  EXPECT_GT(crashes, kSeeds / 2);
}

TEST(Simulation, SameSeedIsTheSameRun) {
  for (const std::uint64_t seed : {3U, 4U, 5U}) {
    const Verdict first = simulate({.seed = seed});
    const Verdict second = simulate({.seed = seed});

    EXPECT_EQ(first.run.trace_hash, second.run.trace_hash);
    EXPECT_EQ(first.run.switches, second.run.switches);
    EXPECT_EQ(first.fired, second.fired);
  }
}

class Mutants : public testing::TestWithParam<Mutant> {};

TEST_P(Mutants, AreCaught) {
  for (std::uint64_t seed = 1; seed <= kMutantSeeds; ++seed) {
    if (!simulate({.seed = seed, .mutant = GetParam()}).good()) return;
  }
  FAIL() << "no seed notices: " << to_string(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Simulation, Mutants,
                         testing::Values(Mutant::NoGate, Mutant::ImpatientGate, Mutant::ActsUnsynced,
                                         Mutant::ForgetsDeletions, Mutant::CountsLivingOnly,
                                         Mutant::ActsWhenOverdue),
                         [](const auto& mutant) {
                           std::string name(to_string(mutant.param));
                           std::erase(name, ' ');
                           return name;
                         });

}  // namespace
}  // namespace capstan::simulation
