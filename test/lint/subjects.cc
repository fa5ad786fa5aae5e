#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

constexpr std::array<std::string_view, 8> kWithoutSubject = {"nobody", "somebody", "whoever", "someone",
                                                             "anyone", "everyone", "anybody", "everybody"};

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_of_a_word(char c) { return lower_case(c) >= 'a' && lower_case(c) <= 'z'; }

// The word of `text` that begins at `at`; empty in the middle of one.
std::string_view word_at(std::string_view text, std::size_t at) {
  if (!is_of_a_word(text[at]) || (at > 0 && is_of_a_word(text[at - 1]))) return {};
  std::size_t end = at;
  while (end < text.size() && is_of_a_word(text[end])) ++end;
  return text.substr(at, end - at);
}

bool is_without_subject(std::string_view word) {
  std::string small;
  for (const char c : word) small += lower_case(c);
  return std::ranges::find(kWithoutSubject, std::string_view(small)) != kWithoutSubject.end();
}

}  // namespace

Findings check_subjects(const Tree& tree) {
  Findings findings;
  for (const SourceFile& file : tree.files) {
    for (std::size_t at = 0; at < file.comments.size(); ++at) {
      const std::string_view word = word_at(file.comments, at);
      if (word.empty() || !is_without_subject(word)) continue;
      findings.push_back(
          {.file = file.path,
           .line = file.line_at(at),
           .rule = "subjects",
           .message = fmt::format("\"{}\": name the thing of the code that does it, or is it", word)});
    }
  }
  return findings;
}

}  // namespace capstan::lint
