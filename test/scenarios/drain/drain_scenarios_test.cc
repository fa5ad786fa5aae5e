// Every story of drains against its file, and in some other orders of events against its promise.
// drain_scenarios_test --write tells the files anew; review them like code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "test/scenarios/drain/drain_stories.h"
#include "test/scenarios/writing.h"

namespace capstan::scenarios {

// What googletest prints of a parameter.
void PrintTo(const DrainStory& story, std::ostream* out) { *out << story.name; }

namespace {

constexpr std::uint64_t kOrders = 5;

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
  for (std::uint64_t seed = 2; seed <= kOrders; ++seed) {
    const Telling telling = tell(GetParam(), seed);
    ASSERT_EQ(telling.broken, "") << "seed " << seed << "\n" << telling.text;
  }
}

std::string test_name(const testing::TestParamInfo<DrainStory>& story) {
  std::string name = story.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, DrainStories, testing::ValuesIn(drain_stories()), test_name);

TEST(DrainStoryFiles, BelongToAStoryEach) {
  std::vector<std::string> names;
  for (const auto& story : drain_stories()) names.push_back(story.name + ".txt");
  std::ranges::sort(names);
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(CAPSTAN_DRAIN_STORIES)) {
    files.push_back(file.path().filename().string());
  }
  std::ranges::sort(files);

  EXPECT_EQ(files, names);
}

}  // namespace
}  // namespace capstan::scenarios

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  for (int at = 1; at < argc; ++at) {
    if (std::string_view(argv[at]) == "--write") capstan::scenarios::write_stories = true;
  }
  if (capstan::scenarios::write_stories) testing::GTEST_FLAG(filter) = "*DrainStories.IsToldAsInItsFile*";
  return RUN_ALL_TESTS();
}
