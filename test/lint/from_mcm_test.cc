// docs/from-mcm.md explains every name of machine-controller-manager that mcm_names.txt has, and tells of no
// key that the list lacks.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "test/lint/shown_by.h"

namespace capstan::lint {
namespace {

using testing::IsEmpty;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path << ": run it from the root of the repository";
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> known_names() {
  std::set<std::string> names;
  std::istringstream lines(text_of("test/lint/mcm_names.txt"));
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && !line.starts_with('#')) names.insert(line);
  return names;
}

bool is_part_of_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.' || c == '/';
}

// Quoted, and not as the beginning of a longer name.
bool explains(const std::string& page, const std::string& name) {
  for (auto at = page.find("`" + name); at != std::string::npos; at = page.find("`" + name, at + 1)) {
    const auto end = at + 1 + name.size();
    if (end < page.size() && !is_part_of_a_name(page[end])) return true;
  }
  return false;
}

// The name that stands around that place of the page.
std::string name_around(const std::string& page, std::size_t at) {
  auto begin = at;
  while (begin > 0 && is_part_of_a_name(page[begin - 1])) --begin;
  auto end = at;
  while (end < page.size() && is_part_of_a_name(page[end])) ++end;
  return page.substr(begin, end - begin);
}

TEST(FromMcm, ExplainsEveryNameOfTheList) {
  const std::string page = text_of("docs/from-mcm.md");
  std::vector<std::string> missing;

  for (const std::string& name : known_names())
    if (!explains(page, name)) missing.push_back(name);

  EXPECT_THAT(missing, IsEmpty());
}

TEST(FromMcm, TellsOfNoKeyThatTheListLacks) {
  const std::string page = text_of("docs/from-mcm.md");
  const auto known = known_names();
  std::vector<std::string> unknown;

  for (auto at = page.find(".sapcloud.io"); at != std::string::npos; at = page.find(".sapcloud.io", at + 1))
    if (const std::string name = name_around(page, at); !known.contains(name)) unknown.push_back(name);

  EXPECT_THAT(unknown, IsEmpty());
}

// The last cells of the table.
std::vector<std::string> evidence_of_the_faq() {
  std::vector<std::string> cells;
  std::istringstream page(text_of("docs/from-mcm.md"));
  std::string line;
  while (std::getline(page, line) && !line.starts_with("| The FAQ |")) {
  }
  std::getline(page, line);  // of dashes
  while (std::getline(page, line) && line.starts_with('|')) {
    const auto end = line.rfind('|');
    const auto begin = line.rfind('|', end - 1);
    cells.push_back(line.substr(begin + 1, end - begin - 1));
  }
  return cells;
}

TEST(FromMcm, ShowsEachExampleOfItsFaqByATestThatIsThere) {
  const auto cells = evidence_of_the_faq();
  std::vector<std::string> names;

  for (const std::string& cell : cells) {
    const auto shown = shown_by(cell);
    EXPECT_FALSE(shown.empty()) << cell;
    names.insert(names.end(), shown.begin(), shown.end());
  }

  EXPECT_GE(cells.size(), 20U);
  EXPECT_THAT(not_there(names), IsEmpty());
}

}  // namespace
}  // namespace capstan::lint
