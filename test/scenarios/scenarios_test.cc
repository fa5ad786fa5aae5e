// Every story against its file, and a hundred times in random order against its bounds and its end.
// scenarios_test --write writes the files anew; review them like code.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "test/scenarios/stories.h"
#include "test/scenarios/storybook.h"

namespace capstan::scenarios {

// What googletest prints of a parameter.
void PrintTo(const Story& story, std::ostream* out) { *out << story.name; }
void PrintTo(Exception exception, std::ostream* out) { *out << to_string(exception); }

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kOrders = 10;
#else
constexpr std::uint64_t kOrders = 100;
#endif

std::filesystem::path file_of(const Story& story) {
  return std::filesystem::path(CAPSTAN_STORIES) / (story.name + ".txt");
}

RolloutWorld world_of(const Story& story) {
  if (story.from_nothing) return RolloutWorld(story.deployment, story.behaviour);
  RolloutWorld world(story.deployment, {});
  world.settle();
  world.begin_story(story.behaviour);
  return world;
}

std::string ending(const RolloutWorld& world) {
  if (!world.deployment()) return "end: nothing is left\n";
  const auto& status = world.deployment()->status;
  std::string text = fmt::format("end: phase {}\n", status.phase.view());
  for (const auto& each : status.conditions) {
    std::string message = each.message.str();
    for (auto at = message.find('\n'); at != message.npos; at = message.find('\n', at + 1)) {
      message.replace(at, 1, "\n                        ");
    }
    text += fmt::format("  {:<16} {:<7} {}\n", each.type.view(), each.status.view(), message);
  }
  return text;
}

std::string told(const Story& story, const RolloutWorld& world) {
  std::string text = story.title + "\n\n";
  for (const auto& line : world.log()) text += line + "\n";
  text += "\n" + ending(world);
  return trimmed(text);
}

bool ends_well(const Story& story, const RolloutWorld& world) {
  return story.end ? story.end(world) : has_arrived(world);
}

class Stories : public testing::TestWithParam<Story> {};

TEST_P(Stories, IsToldAsInItsFile) {
  const Story& story = GetParam();
  RolloutWorld world = world_of(story);

  world.settle();

  EXPECT_THAT(world.faults(), testing::IsEmpty());
  EXPECT_THAT(world.unused(), testing::IsEmpty());
  const std::string text = told(story, world);
  EXPECT_TRUE(ends_well(story, world)) << text;
  expect_told(file_of(story), text);
}

TEST_P(Stories, KeepsItsPromisesInAnyOrder) {
  const Story& story = GetParam();

  const RolloutWorld beginning = world_of(story);
  std::set<Exception> met;
  for (std::uint64_t seed = 1; seed <= kOrders; ++seed) {
    RolloutWorld world = beginning;
    world.settle(seed);

    ASSERT_THAT(world.faults(), testing::IsEmpty()) << "seed " << seed << "\n" << told(story, world);
    ASSERT_THAT(world.unused(), testing::IsEmpty()) << "seed " << seed << "\n" << told(story, world);
    ASSERT_TRUE(ends_well(story, world)) << "seed " << seed << "\n" << told(story, world);
    met.insert(world.met().begin(), world.met().end());
  }
  EXPECT_EQ(met, story.behaviour.allowed) << "a story names the exceptions it needs and no other";
}

INSTANTIATE_TEST_SUITE_P(All, Stories, testing::ValuesIn(all_stories()), test_name<Story>);

TEST(StoryFiles, BelongToAStoryEach) {
  expect_a_file_each(CAPSTAN_STORIES, names_of(all_stories()));
  EXPECT_GE(all_stories().size(), 40U);
}

}  // namespace
}  // namespace capstan::scenarios
