// Every story of health checks against its file, and in some other orders of events against its promise.
// health_scenarios_test --write tells the files anew; review them like code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "test/scenarios/health/health_stories.h"
#include "test/scenarios/text_diff.h"

namespace capstan::scenarios {

// What googletest prints of a parameter.
void PrintTo(const HealthStory& story, std::ostream* out) { *out << story.name; }

namespace {

constexpr std::uint64_t kOrders = 5;

bool write_stories = false;

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

std::filesystem::path file_of(const HealthStory& story) {
  return std::filesystem::path(CAPSTAN_HEALTH_STORIES) / (story.name + ".txt");
}

std::string file_content(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

class HealthStories : public testing::TestWithParam<HealthStory> {};

TEST_P(HealthStories, IsToldAsInItsFile) {
  const HealthStory& story = GetParam();

  const Telling telling = tell(story, 1);

  EXPECT_EQ(telling.broken, "") << telling.text;
  if (write_stories) {
    std::ofstream(file_of(story)) << telling.text;
  } else {
    const std::string known = file_content(file_of(story));
    EXPECT_TRUE(telling.text == known)
        << text_diff(known, telling.text) << "\nif this is what it should be: health_scenarios_test --write";
  }
}

TEST_P(HealthStories, KeepsItsPromiseInAnyOrder) {
  for (std::uint64_t seed = 2; seed <= kOrders; ++seed) {
    const Telling telling = tell(GetParam(), seed);
    ASSERT_EQ(telling.broken, "") << "seed " << seed << "\n" << telling.text;
  }
}

std::string test_name(const testing::TestParamInfo<HealthStory>& story) {
  std::string name = story.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, HealthStories, testing::ValuesIn(health_stories()), test_name);

TEST(HealthStoryFiles, BelongToAStoryEach) {
  std::vector<std::string> names;
  for (const auto& story : health_stories()) names.push_back(story.name + ".txt");
  std::ranges::sort(names);
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(CAPSTAN_HEALTH_STORIES)) {
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
  if (capstan::scenarios::write_stories) testing::GTEST_FLAG(filter) = "*HealthStories.IsToldAsInItsFile*";
  return RUN_ALL_TESTS();
}
