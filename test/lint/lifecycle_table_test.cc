// The table of docs/lifecycle.md, feature by kind: each cell names a story or a test that is there, or says
// why there is none.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "test/lint/shown_by.h"

namespace capstan::lint {
namespace {

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

bool gives_a_reason(const std::string& cell) { return cell.starts_with("no: ") && cell.size() > 12; }

TEST(LifecycleTable, HasATestOrTheReasonInEachCell) {
  const auto cells = cells_of_the_table();
  std::vector<std::string> bare;

  for (const Cell& cell : cells)
    if (shown_by(cell.text).empty() && !gives_a_reason(cell.text))
      bare.push_back(cell.feature + ": " + cell.text);

  EXPECT_GE(cells.size(), 20 * kKinds);
  EXPECT_THAT(bare, IsEmpty());
}

TEST(LifecycleTable, NamesStoriesAndTestsThatAreThere) {
  std::vector<std::string> names;

  for (const Cell& cell : cells_of_the_table())
    std::ranges::copy(shown_by(cell.text), std::back_inserter(names));

  EXPECT_THAT(not_there(names), IsEmpty());
}

}  // namespace
}  // namespace capstan::lint
