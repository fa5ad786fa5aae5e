#include "test/simulation/seed_runner.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace capstan::simulation {
namespace {

void note(std::uint64_t seed, Sum& sum) {
  ++sum.acts["seed " + std::to_string(seed)];
  sum.crashes += seed;
}

TEST(SeedRunner, RunsEverySeedOnceInHoweverManyProcesses) {
  for (const int jobs : {1, 3}) {
    const Sum sum = run_seeds({.first = 10, .count = 20, .jobs = jobs}, note);

    EXPECT_EQ(sum.acts.size(), 20U);
    EXPECT_EQ(sum.acts.at("seed 29"), 1U);
    EXPECT_EQ(sum.crashes, 390U);  // 10 + 11 + ... + 29
    EXPECT_FALSE(sum.first_failed);
  }
}

TEST(SeedRunner, KnowsTheFirstSeedThatFailed) {
  const auto fails = [](std::uint64_t seed, Sum& sum) {
    if (seed % 7 == 0) sum.add({.failed = 1, .first_failed = seed});
  };

  const Sum sum = run_seeds({.first = 1, .count = 30, .jobs = 2}, fails);

  EXPECT_EQ(sum.failed, 4);
  EXPECT_EQ(sum.first_failed, 7U);
}

TEST(SeedRunner, StopsAtTheFirstFailureWhenThatIsWhatIsLookedFor) {
  const auto fails = [](std::uint64_t seed, Sum& sum) { sum.add({.failed = 1, .first_failed = seed}); };

  EXPECT_EQ(run_seeds({.first = 5, .count = 30, .jobs = 1, .until_one_fails = true}, fails).failed, 1);
}

TEST(SeedRunner, AProcessThatDiesIsAFailureAndNoPromiseThatWasNoticed) {
  const auto dies = [](std::uint64_t seed, Sum&) {
    if (seed == 3) std::_Exit(1);
  };

  const Sum sum = run_seeds({.first = 1, .count = 4, .jobs = 2}, dies);

  EXPECT_EQ(sum.failed, 1);
  EXPECT_FALSE(sum.first_failed);
}

}  // namespace
}  // namespace capstan::simulation
