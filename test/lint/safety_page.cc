#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <vector>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

constexpr std::string_view kSafetyPage = "docs/safety.md";
constexpr std::string_view kBrakes = "| Brake |";
constexpr std::string_view kIncidents = "| Incident |";
constexpr std::string_view kNotShown = "*not shown*";

// One row of a table: its cells as they are written, the last one being what shows it.
struct TableRow {
  std::vector<std::string> cells = {};
  std::size_t line = 0;
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) {
    const auto begin = cell.find_first_not_of(' ');
    cells.push_back(begin == std::string::npos ? ""
                                               : cell.substr(begin, cell.find_last_not_of(' ') - begin + 1));
  }
  return cells;
}

// The rows below the line that begins so.
std::vector<TableRow> rows_below(const SourceFile& page, std::string_view header) {
  std::vector<TableRow> rows;
  std::istringstream text(page.text);
  std::size_t number = 0;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (line.starts_with(header)) inside = true;
    if (!line.starts_with('|')) inside = false;
    if (inside && !line.starts_with(header) && !line.starts_with("|-"))
      rows.push_back({.cells = cells_of(line), .line = number});
  }
  return rows;
}

std::vector<std::string> quoted_in(const std::string& cell) {
  std::vector<std::string> words;
  for (auto begin = cell.find('`'); begin != std::string::npos; begin = cell.find('`', begin)) {
    const auto end = cell.find('`', ++begin);
    if (end == std::string::npos) break;
    words.push_back(cell.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

bool any_file(const Tree& tree, const auto& holds) { return std::ranges::any_of(tree.files, holds); }

bool has_suite(const Tree& tree, const std::string& suite) {
  const std::string opening = fmt::format("({},", suite);
  return any_file(tree, [&](const SourceFile& file) {
    return file.path.ends_with("_test.cc") && file.text.find(opening) != std::string::npos;
  });
}

bool has_story(const Tree& tree, const std::string& name) {
  const std::string file_name = fmt::format("/stories/{}.txt", name);
  return any_file(tree, [&](const SourceFile& file) { return file.path.ends_with(file_name); });
}

bool is_registered(const Tree& tree, const std::string& metric) {
  const std::string literal = fmt::format("\"{}\"", metric);
  return any_file(tree, [&](const SourceFile& file) {
    return file.path.ends_with(".cc") && !file.is_test() && file.text.find(literal) != std::string::npos;
  });
}

bool stands_in(const Tree& tree, std::string_view path, const std::string& words) {
  const SourceFile* file = tree.find(path);
  return file != nullptr && file->text.find(words) != std::string::npos;
}

bool is_alert(const Tree& tree, const std::string& name) {
  return stands_in(tree, "config/prometheus/alerts.yaml", fmt::format("alert: {}\n", name));
}

// A case for promtool that makes it fire.
bool is_tested_alert(const Tree& tree, const std::string& name) {
  return stands_in(tree, "config/prometheus/alerts_test.yaml", fmt::format("- alertname: {}\n", name));
}

// As stories are called, and mutants.
bool is_kebab_case(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char letter) {
    return letter == '-' || std::islower(letter) != 0 || std::isdigit(letter) != 0;
  });
}

bool is_mutant(const Tree& tree, const std::string& name) {
  return stands_in(tree, "base/safeguards.cc", fmt::format("\"{}\"", name));
}

// Whether what shows a brake or an incident is there; a single test is looked for by check_docs.
bool is_there(const Tree& tree, const std::string& word) {
  constexpr std::string_view kAll = ".*";
  if (word.ends_with(kAll)) return has_suite(tree, word.substr(0, word.size() - kAll.size()));
  return !is_kebab_case(word) || has_story(tree, word) || is_mutant(tree, word);
}

// What is wrong with the name of a metric or alert; empty: nothing.
std::string mistake_of_meter(const Tree& tree, const std::string& word) {
  const bool is_metric = word.starts_with("capstan_") || word.starts_with("capi_");
  const bool is_known =
      is_metric ? is_registered(tree, word.substr(0, word.find('{'))) : is_alert(tree, word);
  if (!is_known) return fmt::format("no metric or alert is called {}", word);
  if (is_metric || is_tested_alert(tree, word)) return {};
  return fmt::format("no case of config/prometheus/alerts_test.yaml makes {} fire", word);
}

std::vector<std::string> mistakes_of_proof(const Tree& tree, const std::string& cell) {
  const auto words = quoted_in(cell);
  if (words.empty() && cell != kNotShown)
    return {fmt::format("\"{}\" names no test: name one, or say {}", cell, kNotShown)};
  std::vector<std::string> mistakes;
  for (const auto& word : words)
    if (!is_there(tree, word)) mistakes.push_back(fmt::format("{} does not exist", word));
  return mistakes;
}

// Trigger, state, opening, metric, alert and proof of a brake.
std::vector<std::string> mistakes_of_brake(const Tree& tree, const TableRow& row) {
  constexpr std::size_t kColumns = 7;
  constexpr std::array<std::size_t, 2> kMeters = {4, 5};
  if (row.cells.size() < kColumns || std::ranges::count(row.cells, "") > 0)
    return {"a brake has trigger, state, opening, metric, alert and test"};
  auto mistakes = mistakes_of_proof(tree, row.cells.back());
  for (const std::size_t column : kMeters)
    for (const auto& word : quoted_in(row.cells[column]))
      if (auto mistake = mistake_of_meter(tree, word); !mistake.empty())
        mistakes.push_back(std::move(mistake));
  return mistakes;
}

}  // namespace

Findings check_safety_page(const Tree& tree) {
  Findings findings;
  const SourceFile* page = tree.find(kSafetyPage);
  if (page == nullptr) return findings;
  const auto note = [&](const TableRow& row, const std::vector<std::string>& mistakes) {
    for (const auto& mistake : mistakes)
      findings.push_back({.file = page->path, .line = row.line, .rule = "safety-page", .message = mistake});
  };
  for (const auto& row : rows_below(*page, kBrakes)) note(row, mistakes_of_brake(tree, row));
  for (const auto& row : rows_below(*page, kIncidents)) note(row, mistakes_of_proof(tree, row.cells.back()));
  return findings;
}

}  // namespace capstan::lint
