// Every story of a pool against its file, and a hundred times in random order against its promises and its
// end. scenarios_test --write writes the files anew; review them like code.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "test/scenarios/pool_stories.h"
#include "test/scenarios/storybook.h"

namespace capstan::scenarios {

// What googletest prints of a parameter.
void PrintTo(const PoolStory& story, std::ostream* out) { *out << story.name; }

namespace {

constexpr std::uint64_t kOrders = 100;

std::filesystem::path folder() { return std::filesystem::path(CAPSTAN_STORIES).parent_path() / "pools"; }

PoolWorld world_of(const PoolStory& story) {
  PoolWorld world(story.beginning);
  if (!story.from_nothing) world.settle();
  world.begin_story(story.acts, story.lies);
  return world;
}

std::string ending(const PoolWorld& world) {
  if (!world.exists()) {
    std::string left = "end: the pool is gone\n";
    for (const auto& [name, node] : world.nodes()) left += fmt::format("  Node {} is left\n", name);
    return left;
  }
  const auto& status = world.pool().status;
  std::string text = fmt::format("end: phase {}\n", status.phase.view());
  for (const auto& each : status.conditions) {
    std::string message = each.message.str();
    for (auto at = message.find('\n'); at != message.npos; at = message.find('\n', at + 1)) {
      message.replace(at, 1, "\n                                ");
    }
    text += fmt::format("  {:<20} {:<7} {}\n", each.type.view(), each.status.view(), message);
  }
  return text;
}

std::string told(const PoolStory& story, const PoolWorld& world) {
  std::string text = story.title + "\n\n";
  for (const auto& line : world.log()) text += line + "\n";
  return trimmed(text + "\n" + ending(world));
}

bool ends_well(const PoolStory& story, const PoolWorld& world) {
  return story.end ? story.end(world) : has_arrived(world);
}

class PoolStories : public testing::TestWithParam<PoolStory> {};

TEST_P(PoolStories, IsToldAsInItsFile) {
  const PoolStory& story = GetParam();
  PoolWorld world = world_of(story);

  world.settle();

  const std::string text = told(story, world);
  EXPECT_THAT(world.faults(), testing::IsEmpty()) << text;
  EXPECT_THAT(world.unused(), testing::IsEmpty()) << text;
  EXPECT_TRUE(ends_well(story, world)) << text;
  expect_told(folder() / (story.name + ".txt"), text);
}

TEST_P(PoolStories, KeepsItsPromisesInAnyOrder) {
  const PoolStory& story = GetParam();
  const PoolWorld beginning = world_of(story);

  for (std::uint64_t seed = 1; seed <= kOrders; ++seed) {
    PoolWorld world = beginning;
    world.settle(seed);

    ASSERT_THAT(world.faults(), testing::IsEmpty()) << "seed " << seed << "\n" << told(story, world);
    ASSERT_THAT(world.unused(), testing::IsEmpty()) << "seed " << seed << "\n" << told(story, world);
    ASSERT_TRUE(ends_well(story, world)) << "seed " << seed << "\n" << told(story, world);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PoolStories, testing::ValuesIn(all_pool_stories()), test_name<PoolStory>);

TEST(PoolStoryFiles, BelongToAStoryEach) { expect_a_file_each(folder(), names_of(all_pool_stories())); }

}  // namespace
}  // namespace capstan::scenarios
