// Every story of drains against its file, and in some other orders of events against its promise.
// drain_scenarios_test --write writes the files anew; review them like code. With --orders 100 the long ones,
// too, are played in a hundred orders (.ci/run orders).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/safeguards.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/scenarios/drain/drain_stories.h"
#include "test/scenarios/storybook.h"

namespace capstan::scenarios {

// What googletest prints of a parameter.
void PrintTo(const DrainStory& story, std::ostream* out) { *out << story.name; }

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kMostOrders = 5;
#else
constexpr std::uint64_t kMostOrders = 100;
#endif

struct Telling {
  std::string text = {};
  std::string broken = {};
};

Telling tell(const DrainStory& story, std::uint64_t seed) {
  Telling telling;
  fakes::Baton baton({.seed = seed});
  const auto report = baton.run([&] {
    DrainStage stage(baton, story);
    stage.run();
    telling.text = story.title + "\n\n";
    for (const auto& line : stage.log()) telling.text += line + "\n";
    telling.broken = stage.fault().empty() ? story.broken(stage) : stage.fault();
  });
  if (!report.finished()) telling.broken = report.why;
  return telling;
}

class DrainStories : public testing::TestWithParam<DrainStory> {};

TEST_P(DrainStories, IsToldAsInItsFile) {
  const DrainStory& story = GetParam();

  const Telling telling = tell(story, 1);

  EXPECT_EQ(telling.broken, "") << telling.text;
  expect_told(std::filesystem::path(CAPSTAN_DRAIN_STORIES) / (story.name + ".txt"), trimmed(telling.text));
}

TEST_P(DrainStories, KeepsItsPromiseInAnyOrder) {
  const std::uint64_t orders = orders_to_play(std::min(GetParam().orders, kMostOrders));
  for (std::uint64_t seed = 2; seed <= orders; ++seed) {
    const Telling telling = tell(GetParam(), seed);
    ASSERT_EQ(telling.broken, "") << "seed " << seed << "\n" << telling.text;
  }
}

INSTANTIATE_TEST_SUITE_P(All, DrainStories, testing::ValuesIn(drain_stories()), test_name<DrainStory>);

TEST(DrainStoryFiles, BelongToAStoryEach) {
  expect_a_file_each(CAPSTAN_DRAIN_STORIES, names_of(drain_stories()));
}

#ifdef CAPSTAN_DEFECTS
TEST(DrainMutants, WithoutTurnsDisksGoTogether) {
  const auto stories = drain_stories();
  const auto story = std::ranges::find(stories, "volumes-one-by-one", &DrainStory::name);

  switch_off(Safeguard::VolumesInTurn);
  const Telling telling = tell(*story, 1);
  switch_off(std::nullopt);

  EXPECT_EQ(telling.broken, "2 Pods with disks went at once") << telling.text;
}
#endif

// A policy that stood before changes nothing of a drain with disks.
TEST(DrainPolicies, ThatStoodBeforeChangeNoStory) {
  const auto stories = drain_stories();
  DrainStory with = *std::ranges::find(stories, "volumes-one-by-one", &DrainStory::name);
  with.policy = builders::a_policy("care").selecting_everything().drain_on_timeout("ForceDelete");
  DrainStory without = with;
  without.policy.reset();

  EXPECT_EQ(tell(with, 1).text, tell(without, 1).text);
}

}  // namespace
}  // namespace capstan::scenarios
