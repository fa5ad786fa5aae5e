// The whole fleet under some dozens of seeds. `scripts/sim --count 2000` and the tests fleet_seeds_* run
// more.
#include <gmock/gmock.h>

#include "test/simulation/fleet_world.h"
#include "test/simulation/rest_world.h"

namespace capstan::simulation {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kSeeds = 5;
#else
constexpr std::uint64_t kSeeds = 60;
#endif

TEST(Fleet, KeepsItsPromisesUnderEverySeed) {
  std::uint64_t crashes = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const FleetVerdict verdict = simulate_fleet({.seed = seed});

    ASSERT_TRUE(verdict.good()) << verdict.broken << "\nreplay: scripts/sim --seed " << seed << " --story";
    crashes += verdict.crashes;
  }
  EXPECT_GT(crashes, kSeeds / 2);
}

// A Machine that a user deletes is lost, one that a user wants replaced is remediated, and one that an
// autoscaler marks goes first: none of it is ours.
TEST(Fleet, WithoutFaultsOnlyWhatUsersDoIsExcused) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const FleetVerdict verdict = simulate_fleet({.seed = seed, .faults = false, .clumsy_acts = {}});

    ASSERT_TRUE(verdict.good()) << verdict.broken << "\nreplay: scripts/sim --faults=false --seed " << seed;
    EXPECT_EQ(verdict.crashes, 0U);
    for (const auto& [legal, times] : verdict.excused) {
      EXPECT_THAT(legal, testing::AnyOf(LegalCase::MachineLost, LegalCase::Remediated, LegalCase::Marked))
          << to_string(legal) << ", seed " << seed;
    }
  }
}

TEST(Fleet, SameSeedIsTheSameRun) {
  for (const std::uint64_t seed : {3U, 4U}) {
    const FleetVerdict first = simulate_fleet({.seed = seed});
    const FleetVerdict second = simulate_fleet({.seed = seed});

    EXPECT_EQ(first.run.trace_hash, second.run.trace_hash);
    EXPECT_EQ(first.run.switches, second.run.switches);
    EXPECT_EQ(first.crashes, second.crashes);
  }
}

TEST(AFleetAtRest, AsksForNothingButProbesAndWritesNothingAfterARestart) {
  const RestReport report = rest({.clusters = 3, .machines = 30});

  EXPECT_EQ(report.broken, "");
  EXPECT_THAT(report.told, testing::IsEmpty());
  EXPECT_GT(report.probes, 0U);
  EXPECT_LE(report.probes, 3U * 60U) << "at most one per cluster in ten seconds";
  EXPECT_EQ(report.writes_after_restart, 0U);
  EXPECT_THAT(report.written, testing::IsEmpty());
}

}  // namespace
}  // namespace capstan::simulation
