#include <gmock/gmock.h>

#include <ostream>
#include <set>

#include "test/mutants/mutants.h"
#include "test/simulation/known_mutants.h"
#include "test/simulation/toy_world.h"

namespace capstan::simulation {

void PrintTo(const ToyMutant& mutant, std::ostream* out) { *out << to_string(mutant.mutant); }

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

class Mutants : public testing::TestWithParam<ToyMutant> {};

// By the promise that stands beside it; that something else broke, or that the run came to no end, shows
// nothing.
TEST_P(Mutants, AreCaught) {
  for (std::uint64_t seed = 1; seed <= kMutantSeeds; ++seed) {
    const Verdict verdict = simulate({.seed = seed, .mutant = GetParam().mutant});
    if (mutants::is_about(verdict.broken, GetParam().promise)) return;
  }
  FAIL() << "no seed breaks \"" << GetParam().promise << "\" without: " << to_string(GetParam().mutant);
}

INSTANTIATE_TEST_SUITE_P(Simulation, Mutants, testing::ValuesIn(kToyMutants), [](const auto& mutant) {
  std::string name(to_string(mutant.param.mutant));
  std::erase(name, ' ');
  return name;
});

TEST(KnownMutants, AreAllThatTheToyHasAndEachNamesAPromise) {
  std::vector<mutants::Mutant> listed;
  for (const ToyMutant& each : kToyMutants)
    listed.push_back({.name = std::string(to_string(each.mutant)), .promise = std::string(each.promise)});
  std::vector<std::string> known;
  for (int i = 1; i <= static_cast<int>(Mutant::CountsLivingOnly); ++i)
    known.emplace_back(to_string(static_cast<Mutant>(i)));

  EXPECT_THAT(mutants::faults_of(listed, known), testing::IsEmpty());
}

TEST(KnownMutants, AreAllSafeguardsAndEachNamesAPromise) {
  std::vector<mutants::Mutant> listed;
  for (const FleetMutant& each : kFleetMutants)
    listed.push_back({.name = std::string(to_string(each.safeguard)), .promise = std::string(each.promise)});
  std::vector<std::string> known;
  for (const Safeguard safeguard : kSafeguards) known.emplace_back(to_string(safeguard));
  for (const Safeguard safeguard : kLifecycleOfFleets) known.emplace_back(to_string(safeguard));
  for (const Safeguard safeguard : kBrakesOfFleets) known.emplace_back(to_string(safeguard));

  EXPECT_THAT(mutants::faults_of(listed, known), testing::IsEmpty());
}

}  // namespace
}  // namespace capstan::simulation
