#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <vector>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

constexpr std::string_view kPage = "docs/metrics.md";
constexpr std::string_view kYes = "yes";
constexpr std::string_view kNo = "no";

struct Row {
  std::string name = {};
  std::string here = {};
  std::string why = {};
  std::size_t line = 0;
};

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" `");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" `") - begin + 1));
}

// "| `name` | yes | why |"; the header and other text are no rows.
std::optional<Row> row_of(const std::string& line, std::size_t number) {
  if (!line.starts_with("| `")) return {};
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(cell);
  if (cells.size() < 4) return {};
  return Row{.name = trimmed(cells[1]), .here = trimmed(cells[2]), .why = trimmed(cells[3]), .line = number};
}

bool registers(const Tree& tree, const std::string& name) {
  const std::string literal = fmt::format("\"{}\"", name);
  return std::ranges::any_of(tree.files, [&](const SourceFile& file) {
    return file.path.ends_with(".cc") && !file.is_test() && file.text.find(literal) != std::string::npos;
  });
}

std::string mistake(const Tree& tree, const Row& row) {
  const bool there = registers(tree, row.name);
  if (row.here == kYes) return there ? "" : "no source registers " + row.name;
  if (row.here != kNo) return fmt::format("{} is neither yes nor no", row.name);
  if (there) return fmt::format("{} is here, says a source", row.name);
  return row.why.empty() ? fmt::format("{} has no reason", row.name) : "";
}

}  // namespace

Findings check_metric_names(const Tree& tree) {
  Findings findings;
  const SourceFile* page = tree.find(kPage);
  if (page == nullptr) return findings;
  std::istringstream text(page->text);
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    const auto row = row_of(line, ++number);
    const std::string wrong = row ? mistake(tree, *row) : "";
    if (!wrong.empty())
      findings.push_back({.file = page->path, .line = number, .rule = "metric-names", .message = wrong});
  }
  return findings;
}

}  // namespace capstan::lint
