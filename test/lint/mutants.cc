#include <fmt/format.h>

#include <algorithm>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

constexpr std::string_view kSafeguardsFile = "base/safeguards.h";
constexpr std::string_view kEnum = "enum class Safeguard {";
constexpr std::string_view kWordLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

// As they stand in the file: each is the only word of its line, for its comment is blanked.
struct Enumerator {
  std::string name = {};
  std::size_t at = 0;
};
std::vector<Enumerator> safeguards_of(std::string_view code) {
  std::vector<Enumerator> found;
  const std::size_t begin = code.find(kEnum);
  if (begin == std::string_view::npos) return found;
  const std::size_t end = code.find('}', begin);
  std::size_t at = code.find_first_of(kWordLetters, begin + kEnum.size());
  while (at < end) {
    const std::size_t past = code.find_first_not_of(kWordLetters, at);
    found.push_back({.name = std::string(code.substr(at, past - at)), .at = at});
    at = code.find_first_of(kWordLetters, past);
  }
  return found;
}

bool names(std::string_view code, std::string_view word) {
  for (std::size_t at = code.find(word); at != std::string_view::npos; at = code.find(word, at + 1)) {
    const std::size_t past = at + word.size();
    if (past == code.size() || !kWordLetters.contains(code[past])) return true;
  }
  return false;
}

bool is_taken_away(const Tree& tree, const std::string& safeguard) {
  const std::string word = "Safeguard::" + safeguard;
  return std::ranges::any_of(tree.files, [&](const auto& file) {
    return file.is_cpp() && file.is_test() && names(file.code, word);
  });
}

}  // namespace

Findings check_mutants(const Tree& tree) {
  Findings findings;
  const SourceFile* file = tree.find(kSafeguardsFile);
  if (file == nullptr) return findings;
  for (const Enumerator& safeguard : safeguards_of(file->code)) {
    if (is_taken_away(tree, safeguard.name)) continue;
    findings.push_back(
        {.file = file->path,
         .line = file->line_at(safeguard.at),
         .rule = "mutants",
         .message = fmt::format("no test takes {} away, so its loss could go unnoticed", safeguard.name)});
  }
  return findings;
}

}  // namespace capstan::lint
