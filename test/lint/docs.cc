#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

struct Mention {
  std::string path;
  std::size_t offset = 0;
};

constexpr std::array<std::string_view, 7> kEndings = {".h", ".cc", ".md", ".cmake", ".json", ".yaml", "/"};

bool looks_like_path(std::string_view word) {
  const bool plain =
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") ==
      std::string_view::npos;
  const bool ours =
      plain && word.find('/') != std::string_view::npos && word.front() != '/' && word.front() != '.';
  const bool named = std::ranges::any_of(kEndings, [&](auto ending) { return word.ends_with(ending); });
  return ours && !word.starts_with("build/") && (named || word.starts_with("scripts/"));
}

// `Suite.Promise`, as deviations name the test that holds them.
bool looks_like_test(std::string_view word) {
  const auto dot = word.find('.');
  if (dot == std::string_view::npos || dot + 1 >= word.size()) return false;
  const auto capital = [](char letter) { return letter >= 'A' && letter <= 'Z'; };
  const auto letters = [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; };
  return capital(word.front()) && capital(word[dot + 1]) &&
         std::ranges::all_of(word.substr(0, dot), letters) &&
         std::ranges::all_of(word.substr(dot + 1), letters);
}

// What stands in `backticks`: the first word, so that `scripts/sim --seed 3` mentions scripts/sim.
std::vector<Mention> quoted_paths(std::string_view text) {
  std::vector<Mention> mentions;
  for (auto begin = text.find('`'); begin != std::string_view::npos; begin = text.find('`', begin)) {
    const auto end = text.find('`', ++begin);
    if (end == std::string_view::npos) break;
    const auto span = text.substr(begin, end - begin);
    const auto word = span.substr(0, span.find_first_of(" \n:"));
    if (!word.empty() && (looks_like_path(word) || looks_like_test(word)))
      mentions.push_back({.path = std::string(word), .offset = begin});
    begin = end + 1;
  }
  return mentions;
}

std::string beside(const SourceFile& page, std::string_view path) {
  return (std::filesystem::path(page.path).parent_path() / path).lexically_normal().generic_string();
}

// Where [text](links) lead within the repository; they are relative to the page.
std::vector<Mention> linked_paths(const SourceFile& page) {
  std::vector<Mention> mentions;
  const std::string_view text = page.text;
  for (auto at = text.find("]("); at != std::string_view::npos; at = text.find("](", at + 1)) {
    const auto link = text.substr(at + 2, text.find_first_of(")# \n", at + 2) - at - 2);
    if (link.empty() || link.find(':') != std::string_view::npos) continue;
    mentions.push_back({.path = beside(page, link), .offset = at});
  }
  return mentions;
}

bool exists(const Tree& tree, std::string_view path) {
  if (tree.find(path) != nullptr) return true;
  const std::string folder = path.ends_with('/') ? std::string(path) : std::string(path) + "/";
  return std::ranges::any_of(tree.files,
                             [&](const SourceFile& file) { return file.path.starts_with(folder); });
}

bool has_test(const Tree& tree, std::string_view name) {
  const std::string suite = fmt::format("({},", name.substr(0, name.find('.')));
  const std::string promise = fmt::format("{})", name.substr(name.find('.') + 1));
  return std::ranges::any_of(tree.files, [&](const SourceFile& file) {
    if (!file.path.ends_with("_test.cc")) return false;
    for (auto at = file.text.find(suite); at != std::string::npos; at = file.text.find(suite, at + 1)) {
      const auto next = file.text.find_first_not_of(" \n", at + suite.size());
      if (next != std::string::npos && file.text.compare(next, promise.size(), promise) == 0) return true;
    }
    return false;
  });
}

}  // namespace

Findings check_docs(const Tree& tree) {
  Findings findings;
  for (const SourceFile& page : tree.files) {
    if (!page.path.ends_with(".md")) continue;
    std::vector<Mention> mentions = quoted_paths(page.text);
    std::ranges::move(linked_paths(page), std::back_inserter(mentions));
    for (const Mention& mention : mentions) {
      if (looks_like_test(mention.path)
              ? has_test(tree, mention.path)
              : exists(tree, mention.path) || exists(tree, beside(page, mention.path)))
        continue;
      findings.push_back({.file = page.path,
                          .line = page.line_at(mention.offset),
                          .rule = "docs",
                          .message = fmt::format("{} does not exist", mention.path)});
    }
  }
  return findings;
}

}  // namespace capstan::lint
