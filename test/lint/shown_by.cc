#include "test/lint/shown_by.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace capstan::lint {
namespace {

namespace fs = std::filesystem;

bool is_a_story(const std::string& name) {
  for (const auto* folder : {"lifecycle", "drain", "health"})
    if (fs::exists(fs::path("test/scenarios") / folder / "stories" / (name + ".txt"))) return true;
  return false;
}

std::string all_tests() {
  std::string lines;
  for (const auto* folder : {"controllers", "api", "infrastructure", "test/envtest"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.path().string().ends_with("_test.cc")) continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);)
        if (line.starts_with("TEST")) lines += line + "\n";
    }
  }
  return lines;
}

bool is_a_test(const std::string& name, std::string_view tests) {
  const auto dot = name.find('.');
  return dot != std::string::npos &&
         tests.contains("(" + name.substr(0, dot) + ", " + name.substr(dot + 1) + ")");
}

}  // namespace

std::vector<std::string> shown_by(const std::string& cell) {
  std::vector<std::string> names;
  std::istringstream parts(cell);
  bool quoted = false;
  for (std::string part; std::getline(parts, part, '`'); quoted = !quoted)
    if (quoted && !part.contains('/') && !part.starts_with("drain.")) names.push_back(part);
  return names;
}

std::vector<std::string> not_there(const std::vector<std::string>& names) {
  const std::string tests = all_tests();
  std::vector<std::string> missing;
  std::ranges::copy_if(names, std::back_inserter(missing),
                       [&](const std::string& name) { return !is_a_story(name) && !is_a_test(name, tests); });
  return missing;
}

}  // namespace capstan::lint
