#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

// Working papers that are not in this repository.
constexpr std::array<std::string_view, 8> kPapers = {
    "capi-machine", "capi-pool-cluster", "cpp-facts",        "real-parts", "upstream-measured",
    "DESIGN",       "DESIGN.md",         "shared/reference",
};
// "the reference says", and the names of tests that say so.
constexpr std::array<std::string_view, 6> kVoices = {
    "(reference:",        "as the reference",  "the reference says",
    "the reference lets", "TheReferenceNames", "TheReferenceGives",
};
constexpr std::string_view kOfTheReference = "OfTheReference)";  // the last words of a test's name
constexpr std::array<std::string_view, 4> kNumbered = {"reference", "Reference", "issue", "Issue"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A letter, digit or hyphen, so that "capi-machine" is not found in "capi-machineset".
bool is_word_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

bool begins_word(std::string_view text, std::size_t at) { return at == 0 || !is_word_char(text[at - 1]); }
bool ends_word(std::string_view text, std::size_t end) {
  return end >= text.size() || !is_word_char(text[end]);
}

// What stands between two words of a sentence, also when a comment goes on in the next line.
std::size_t skip_gap(std::string_view text, std::size_t at) {
  while (at < text.size() && std::string_view(" \n/#").find(text[at]) != std::string_view::npos) ++at;
  return at;
}

// Whether a number follows the word: then it cites a place in a document.
bool is_numbered(std::string_view text, std::size_t end) {
  const std::size_t number = skip_gap(text, end);
  return number > end && number < text.size() && is_digit(text[number]);
}

template <typename Is>
void find_each(const SourceFile& file, std::string_view phrase, Findings& findings, Is is) {
  const std::string_view text = file.text;
  for (auto at = text.find(phrase); at != std::string_view::npos; at = text.find(phrase, at + 1)) {
    if (!is(at, at + phrase.size())) continue;
    findings.push_back(
        {.file = file.path,
         .line = file.line_at(at),
         .rule = "citations",
         .message = fmt::format("\"{}\" is not in this repository: say the fact, or name a page that a "
                                "reader can open",
                                phrase)});
  }
}

void find_citations(const SourceFile& file, Findings& findings) {
  const std::string_view text = file.text;
  const auto always = [](std::size_t, std::size_t) { return true; };
  const auto whole = [&](std::size_t at, std::size_t end) {
    return begins_word(text, at) && ends_word(text, end);
  };
  const auto numbered = [&](std::size_t at, std::size_t end) {
    return begins_word(text, at) && is_numbered(text, end);
  };
  for (const auto paper : kPapers) find_each(file, paper, findings, whole);
  for (const auto voice : kVoices) find_each(file, voice, findings, always);
  for (const auto word : kNumbered) find_each(file, word, findings, numbered);
  find_each(file, kOfTheReference, findings, always);
}

// "5.6 B": a section of some paper, in the comment of a source.
void find_sections(const SourceFile& file, Findings& findings) {
  const std::string_view text = file.comments;
  for (auto dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.', dot + 1)) {
    const auto end = std::min(text.find_first_not_of("0123456789", dot + 1), text.size());
    const bool numbers = dot > 0 && is_digit(text[dot - 1]) && end > dot + 1;
    const bool letter = end + 1 < text.size() && text[end] == ' ' && text[end + 1] >= 'A' &&
                        text[end + 1] <= 'F' && ends_word(text, end + 2);
    if (!numbers || !letter) continue;
    findings.push_back({.file = file.path,
                        .line = file.line_at(dot),
                        .rule = "citations",
                        .message = fmt::format("{} is a section of nothing in this repository: say the fact",
                                               text.substr(dot - 1, end + 3 - dot))});
  }
}

// What was written by hand here: sources, pages and scripts.
bool is_ours(const SourceFile& file) {
  constexpr std::array<std::string_view, 6> kEndings = {".md",  ".sh", ".cmake", "CMakeLists.txt",
                                                        ".txt", ".py"};
  return file.is_cpp() || file.path.starts_with("scripts/") || file.path.starts_with(".ci/") ||
         std::ranges::any_of(kEndings, [&](auto ending) { return file.path.ends_with(ending); });
}

}  // namespace

Findings check_citations(const Tree& tree) {
  Findings findings;
  for (const SourceFile& file : tree.files) {
    if (is_ours(file)) find_citations(file, findings);
    find_sections(file, findings);
  }
  return findings;
}

}  // namespace capstan::lint
