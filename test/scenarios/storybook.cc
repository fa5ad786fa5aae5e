#include "test/scenarios/storybook.h"

#include <gmock/gmock.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "test/scenarios/text_diff.h"

namespace capstan::scenarios {
namespace {

bool write_stories = false;
std::optional<std::uint64_t> orders_wanted = {};

std::string content_of(const std::filesystem::path& file) {
  std::stringstream content;
  content << std::ifstream(file).rdbuf();
  return content.str();
}

int run_stories(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  for (int at = 1; at < argc; ++at) {
    if (std::string_view(argv[at]) == "--write") write_stories = true;
    if (std::string_view(argv[at]) == "--orders" && at + 1 < argc) orders_wanted = std::stoull(argv[++at]);
  }
  const bool all = testing::GTEST_FLAG(filter) == "*";
  if (write_stories && all) testing::GTEST_FLAG(filter) = "*Stories.IsToldAsInItsFile*";
  return RUN_ALL_TESTS();
}

}  // namespace

std::uint64_t orders_to_play(std::uint64_t usual) { return orders_wanted.value_or(usual); }

void expect_told(const std::filesystem::path& file, const std::string& text) {
  if (write_stories) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    EXPECT_EQ(content_of(file), text) << file << " can't be written";
    return;
  }
  const std::string known = content_of(file);
  EXPECT_TRUE(text == known) << text_diff(known, text)
                             << "\nif this is what it should be: call this program with --write";
}

void expect_a_file_each(const std::filesystem::path& folder, std::vector<std::string> names) {
  for (auto& name : names) name += ".txt";
  std::ranges::sort(names);
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    files.push_back(file.path().filename().string());
  }
  std::ranges::sort(files);

  EXPECT_EQ(files, names);
}

std::string trimmed(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  }
  return result;
}

}  // namespace capstan::scenarios

int main(int argc, char** argv) { return capstan::scenarios::run_stories(argc, argv); }
