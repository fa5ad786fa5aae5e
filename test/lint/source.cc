#include "test/lint/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

namespace capstan::lint {
namespace {

constexpr std::size_t kMaxBytes = 4U << 20;  // what is larger was not written by hand

enum class Literals { Kept, Blanked };

// Walks C++ text and blanks what is not code; line breaks stay, so lines keep their numbers.
class Blanker {
 public:
  Blanker(std::string_view text, Literals literals) : text_(text), literals_(literals), out_(text) {}
  std::string run();

 private:
  bool at(std::string_view token) const { return text_.substr(position_).starts_with(token); }
  void blank_until(std::size_t end);
  void skip_comment();
  void skip_literal(char quote);
  void skip_raw_literal();
  bool is_digit_separator() const;

  std::string_view text_;
  Literals literals_;
  std::string out_;
  std::size_t position_ = 0;
};

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string Blanker::run() {
  while (position_ < text_.size()) {
    if (at("//") || at("/*")) {
      skip_comment();
    } else if (at("R\"")) {
      skip_raw_literal();
    } else if (at("\"")) {
      skip_literal('"');
    } else if (at("'") && !is_digit_separator()) {
      skip_literal('\'');
    } else {
      ++position_;
    }
  }
  return std::move(out_);
}

void Blanker::blank_until(std::size_t end) {
  for (end = std::min(end, text_.size()); position_ < end; ++position_) {
    if (text_[position_] != '\n') out_[position_] = ' ';
  }
}

void Blanker::skip_comment() {
  const bool block = at("/*");
  const auto end = text_.find(block ? "*/" : "\n", position_ + 2);
  blank_until(end == std::string_view::npos ? text_.size() : end + (block ? 2 : 0));
}

void Blanker::skip_literal(char quote) {
  std::size_t end = position_ + 1;
  while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
  ++position_;
  if (literals_ == Literals::Blanked) blank_until(end);
  position_ = std::min(end + 1, text_.size());
}

void Blanker::skip_raw_literal() {
  const auto open = text_.find('(', position_);
  if (open == std::string_view::npos) {
    ++position_;
    return;
  }
  const std::string close = ")" + std::string(text_.substr(position_ + 2, open - position_ - 2)) + "\"";
  const auto end = std::min(text_.find(close, open), text_.size());
  position_ = open + 1;
  if (literals_ == Literals::Blanked) blank_until(end);
  position_ = std::min(end + close.size(), text_.size());
}

// 1'000 and 0x'ff, but not u8'a'.
bool Blanker::is_digit_separator() const {
  std::size_t begin = position_;
  while (begin > 0 && (is_word(text_[begin - 1]) || text_[begin - 1] == '\'')) --begin;
  return begin < position_ && text_[begin] >= '0' && text_[begin] <= '9';
}

std::vector<Include> includes_of(std::string_view without_comments) {
  std::vector<Include> includes;
  std::size_t line = 0;
  while (!without_comments.empty()) {
    ++line;
    const auto end = std::min(without_comments.find('\n'), without_comments.size());
    std::string_view text = without_comments.substr(0, end);
    without_comments.remove_prefix(std::min(end + 1, without_comments.size()));
    const auto hash = text.find_first_not_of(" \t");
    if (hash == std::string_view::npos || text[hash] != '#') continue;
    const auto word = text.find("include", hash);
    const auto open = text.find_first_of("<\"", hash);
    if (word == std::string_view::npos || open == std::string_view::npos) continue;
    const auto close = text.find(text[open] == '<' ? '>' : '"', open + 1);
    if (close == std::string_view::npos) continue;
    includes.push_back({.line = line,
                        .name = std::string(text.substr(open + 1, close - open - 1)),
                        .angled = text[open] == '<'});
  }
  return includes;
}

// What the blanker took away, without the marks that begin and end a comment.
std::string comments_of(std::string_view text, std::string_view without_comments) {
  std::string comments(text);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool mark = text[at] == '/' || text[at] == '*';
    if (text[at] != '\n' && (mark || text[at] == without_comments[at])) comments[at] = ' ';
  }
  return comments;
}

bool is_skipped_folder(const std::filesystem::path& folder) {
  const std::string name = folder.filename();
  return name == "build" || (name.starts_with('.') && name != ".ci");
}

bool is_binary(std::string_view text) { return text.substr(0, 8192).find('\0') != std::string_view::npos; }

}  // namespace

SourceFile SourceFile::of(std::string path, std::string text) {
  SourceFile file{.path = std::move(path), .text = std::move(text)};
  if (!file.is_cpp()) return file;
  file.code = Blanker(file.text, Literals::Blanked).run();
  const std::string without_comments = Blanker(file.text, Literals::Kept).run();
  file.comments = comments_of(file.text, without_comments);
  file.includes = includes_of(without_comments);
  return file;
}

std::string_view SourceFile::folder() const {
  const std::string_view whole = path;
  const auto slash = whole.find('/');
  return slash == std::string_view::npos ? std::string_view() : whole.substr(0, slash);
}

std::string_view SourceFile::name() const {
  const std::string_view whole = path;
  const auto slash = whole.rfind('/');
  return slash == std::string_view::npos ? whole : whole.substr(slash + 1);
}

bool SourceFile::is_test() const {
  constexpr std::array<std::string_view, 6> kEndings = {"_test.cc",   "_bench.cc",   "_fuzz.cc",
                                                        "_fixture.h", "_fixture.cc", "test_support.h"};
  return folder() == "test" ||
         std::ranges::any_of(kEndings, [&](auto ending) { return path.ends_with(ending); });
}

std::size_t SourceFile::line_at(std::size_t offset) const {
  return static_cast<std::size_t>(
             std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n')) +
         1;
}

Tree Tree::read(const std::filesystem::path& root) {
  Tree tree;
  std::filesystem::recursive_directory_iterator entries(root);
  for (auto entry = begin(entries); entry != end(entries); ++entry) {
    if (entry->is_directory() && is_skipped_folder(entry->path())) entry.disable_recursion_pending();
    if (!entry->is_regular_file() || entry->file_size() > kMaxBytes) continue;
    if (entry->path().filename() == ".git") continue;  // of a second worktree: says where the repository is
    std::ifstream stream(entry->path(), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (is_binary(text)) continue;
    tree.files.push_back(
        SourceFile::of(std::filesystem::relative(entry->path(), root).generic_string(), std::move(text)));
  }
  std::ranges::sort(tree.files, {}, &SourceFile::path);
  return tree;
}

const SourceFile* Tree::find(std::string_view path) const {
  const auto found = std::ranges::lower_bound(files, path, {}, &SourceFile::path);
  return found != files.end() && found->path == path ? &*found : nullptr;
}

std::string Finding::describe() const { return fmt::format("{}:{}: {}: {}", file, line, rule, message); }

}  // namespace capstan::lint
