// What all suites of golden stories share: how a story is compared with its file, or written anew when the
// program was called with --write, in how many orders of events it is played, and their main().
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace capstan::scenarios {

// Compares, or writes; a failure shows both.
void expect_told(const std::filesystem::path& file, const std::string& text);
// A file for each story, and no file without one.
void expect_a_file_each(const std::filesystem::path& folder, std::vector<std::string> names);
// As many as --orders says, else as many as is usual.
std::uint64_t orders_to_play(std::uint64_t usual);
// The same without blanks at the ends of lines.
std::string trimmed(const std::string& text);

template <typename Story>
std::vector<std::string> names_of(const std::vector<Story>& stories) {
  std::vector<std::string> names;
  for (const Story& story : stories) names.push_back(story.name);
  return names;
}

// As googletest wants a name: a story's, without hyphens.
template <typename Story>
std::string test_name(const testing::TestParamInfo<Story>& story) {
  std::string name = story.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace capstan::scenarios
