#include "test/interop/takeover_page.h"

#include <fstream>

namespace capstan::envtest {
namespace {

std::vector<std::string> quoted_in(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find('`'); at != std::string::npos;) {
    const std::size_t end = text.find('`', at + 1);
    if (end == std::string::npos) break;
    words.push_back(text.substr(at + 1, end - at - 1));
    at = text.find('`', end + 1);
  }
  return words;
}

std::vector<std::string> rows_below(const std::string& heading) {
  std::vector<std::string> rows;
  bool here = false;
  std::ifstream page{std::string(kTakeoverPage)};
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) here = line == "## " + heading;
    if (here && line.starts_with("| `")) rows.push_back(line);
  }
  return rows;
}

std::string first_cell_of(const std::string& row) { return row.substr(2, row.find(" |", 1) - 2); }

}  // namespace

ListedWrites listed_below(const std::string& heading) {
  ListedWrites listed;
  for (const std::string& row : rows_below(heading)) {
    const auto words = quoted_in(first_cell_of(row));
    auto& writes = row.find("not always") == std::string::npos ? listed.always : listed.sometimes;
    if (words.size() == 1) writes.insert(words.front());
    for (std::size_t i = 1; i < words.size(); ++i) writes.insert(words.front() + " " + words[i]);
  }
  return listed;
}

std::vector<std::string> first_cells_below(const std::string& heading) {
  std::vector<std::string> cells;
  for (const std::string& row : rows_below(heading)) cells.push_back(first_cell_of(row));
  return cells;
}

}  // namespace capstan::envtest
