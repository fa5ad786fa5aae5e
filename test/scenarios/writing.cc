#include "test/scenarios/writing.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "test/scenarios/text_diff.h"

namespace capstan::scenarios {
namespace {

std::string content_of(const std::filesystem::path& file) {
  std::stringstream content;
  content << std::ifstream(file).rdbuf();
  return content.str();
}

}  // namespace

bool write_stories = false;

void expect_told(const std::filesystem::path& file, const std::string& text) {
  if (write_stories) {
    std::ofstream(file) << text;
    return;
  }
  const std::string known = content_of(file);
  EXPECT_TRUE(text == known) << text_diff(known, text)
                             << "\nif this is what it should be: scenarios_test --write";
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
