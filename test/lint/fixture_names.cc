#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

constexpr std::array<std::string_view, 4> kFixtureEndings = {"World", "Stage", "Fixture", "Ground"};
constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

// What the line defines at namespace level; nothing for a declaration alone.
std::optional<std::string_view> class_defined_by(std::string_view line) {
  for (const std::string_view keyword : {"class ", "struct "}) {
    if (!line.starts_with(keyword) || line.ends_with(';')) continue;
    const std::string_view rest = line.substr(keyword.size());
    return rest.substr(0, rest.find_first_not_of(kNameLetters));
  }
  return {};
}

bool is_fixture(std::string_view name) {
  return std::ranges::any_of(kFixtureEndings, [&](auto ending) { return name.ends_with(ending); });
}

struct DefinedAt {
  std::string file = {};
  std::size_t line = 0;
};

}  // namespace

Findings check_fixture_names(const Tree& tree) {
  Findings findings;
  std::map<std::string, DefinedAt, std::less<>> first;
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp() || !file.is_test()) continue;
    const std::string_view code = file.code;
    for (std::size_t begin = 0; begin < code.size();) {
      const std::size_t end = std::min(code.find('\n', begin), code.size());
      const auto name = class_defined_by(code.substr(begin, end - begin));
      const std::size_t line = file.line_at(begin);
      begin = end + 1;
      if (!name || !is_fixture(*name)) continue;
      const auto [known, is_new] = first.try_emplace(std::string(*name), file.path, line);
      if (is_new) continue;
      findings.push_back({.file = file.path,
                          .line = line,
                          .rule = "fixture-names",
                          .message = fmt::format("{} is in {}:{} as well: name each after what it builds",
                                                 *name, known->second.file, known->second.line)});
    }
  }
  return findings;
}

}  // namespace capstan::lint
