// Every story of health checks against its file, and in some other orders of events against its promise.
// health_scenarios_test --write writes the files anew; review them like code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "test/scenarios/health/health_stories.h"
#include "test/scenarios/storybook.h"

namespace capstan::scenarios {

// What googletest prints of a parameter.
void PrintTo(const HealthStory& story, std::ostream* out) { *out << story.name; }

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kOrders = 5;
#else
constexpr std::uint64_t kOrders = 10;
#endif

struct Telling {
  std::string text = {};
  std::string broken = {};
};

Telling tell(const HealthStory& story, std::uint64_t seed) {
  Telling telling;
  fakes::Baton baton({.seed = seed});
  const auto report = baton.run([&] {
    HealthWorld world(baton, story);
    world.run();
    telling.text = story.title + "\n\n";
    for (const auto& line : world.log()) telling.text += line + "\n";
    if (story.broken) telling.broken = story.broken(world);
  });
  if (!report.finished()) telling.broken = report.why;
  return telling;
}

class HealthStories : public testing::TestWithParam<HealthStory> {};

TEST_P(HealthStories, IsToldAsInItsFile) {
  const HealthStory& story = GetParam();

  const Telling telling = tell(story, 1);

  EXPECT_EQ(telling.broken, "") << telling.text;
  expect_told(std::filesystem::path(CAPSTAN_HEALTH_STORIES) / (story.name + ".txt"), telling.text);
}

TEST_P(HealthStories, KeepsItsPromiseInAnyOrder) {
  for (std::uint64_t seed = 2; seed <= kOrders; ++seed) {
    const Telling telling = tell(GetParam(), seed);
    ASSERT_EQ(telling.broken, "") << "seed " << seed << "\n" << telling.text;
  }
}

INSTANTIATE_TEST_SUITE_P(All, HealthStories, testing::ValuesIn(health_stories()), test_name<HealthStory>);

TEST(HealthStoryFiles, BelongToAStoryEach) {
  expect_a_file_each(CAPSTAN_HEALTH_STORIES, names_of(health_stories()));
}

}  // namespace
}  // namespace capstan::scenarios
