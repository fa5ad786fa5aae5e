// The table of docs/lifecycle.md, feature by kind: each cell names a story or a test that is there, or says
// why there is none.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace capstan::lint {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

constexpr std::string_view kFirstLine = "| | MachineDeployment |";
constexpr std::size_t kKinds = 4;

struct Cell {
  std::string feature = {};
  std::string text = {};
};

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

std::vector<std::string> columns_of(const std::string& row) {
  std::vector<std::string> columns;
  std::istringstream rest(row.substr(1));
  for (std::string column; std::getline(rest, column, '|');) columns.push_back(trimmed(column));
  return columns;
}

std::vector<Cell> cells_of_the_table() {
  std::vector<Cell> cells;
  std::ifstream page("docs/lifecycle.md");
  std::string line;
  while (std::getline(page, line) && !line.starts_with(kFirstLine)) {
  }
  std::getline(page, line);  // of dashes
  while (std::getline(page, line) && line.starts_with('|')) {
    const auto columns = columns_of(line);
    EXPECT_EQ(columns.size(), 1 + kKinds) << line;
    for (std::size_t at = 1; at < columns.size(); ++at) cells.push_back({columns.front(), columns[at]});
  }
  return cells;
}

// "`named-victim`" and "`Nodes.GetWhat...`", but no key of an API.
std::vector<std::string> names_in(const std::string& cell) {
  std::vector<std::string> names;
  std::istringstream parts(cell);
  bool quoted = false;
  for (std::string part; std::getline(parts, part, '`'); quoted = !quoted)
    if (quoted && !part.contains('/') && !part.starts_with("drain.")) names.push_back(part);
  return names;
}

bool is_a_story(const std::string& name) {
  for (const auto* folder : {"lifecycle", "drain", "health"})
    if (fs::exists(fs::path("test/scenarios") / folder / "stories" / (name + ".txt"))) return true;
  return false;
}

std::string all_tests() {
  std::string lines;
  for (const auto& entry : fs::recursive_directory_iterator("controllers")) {
    if (!entry.path().string().ends_with("_test.cc")) continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("TEST")) lines += line + "\n";
  }
  return lines;
}

bool is_a_test(const std::string& name, const std::string& tests) {
  const auto dot = name.find('.');
  return dot != std::string::npos &&
         tests.contains("(" + name.substr(0, dot) + ", " + name.substr(dot + 1) + ")");
}

bool gives_a_reason(const std::string& cell) {
  return (cell.starts_with("no: ") || cell.starts_with("the same: ")) && cell.size() > 12;
}

TEST(LifecycleTable, HasATestOrTheReasonInEachCell) {
  const auto cells = cells_of_the_table();
  std::vector<std::string> bare;

  for (const Cell& cell : cells)
    if (names_in(cell.text).empty() && !gives_a_reason(cell.text))
      bare.push_back(cell.feature + ": " + cell.text);

  EXPECT_GE(cells.size(), 20 * kKinds);
  EXPECT_THAT(bare, IsEmpty());
}

TEST(LifecycleTable, NamesStoriesAndTestsThatAreThere) {
  const std::string tests = all_tests();
  std::vector<std::string> unknown;

  for (const Cell& cell : cells_of_the_table())
    for (const std::string& name : names_in(cell.text))
      if (!is_a_story(name) && !is_a_test(name, tests)) unknown.push_back(name);

  EXPECT_THAT(unknown, IsEmpty());
}

}  // namespace
}  // namespace capstan::lint
