// Steps over JSON text without understanding more of it than where strings and brackets end: to find one
// member in a document that need not be parsed. A value on the stack; refers to the text it was made from.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace capstan::api {

// `at` is size() once the text ended early.
class JsonSkimmer {
 public:
  explicit JsonSkimmer(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  bool ended() const { return at_ >= text_.size(); }
  char here() const { return ended() ? '\0' : text_[at_]; }

  bool take(char expected) {
    skip_blank();
    if (here() != expected) return false;
    ++at_;
    return true;
  }

  // A string with its quotes.
  std::optional<std::string_view> take_string() {
    skip_blank();
    const std::size_t begin = at_;
    if (here() != '"' || !skip_string()) return {};
    return text_.substr(begin, at_ - begin);
  }

  // Any value; false when the text ends in the middle of it.
  bool skip_value() {
    skip_blank();
    std::size_t depth = 0;
    while (!ended()) {
      switch (text_[at_]) {
        case '"':
          if (!skip_string()) return false;
          if (depth == 0) return true;
          continue;
        case '{':
        case '[': ++depth; break;
        case '}':
        case ']':
          if (depth == 0) return true;  // of the object around a number or word
          if (--depth == 0) return ++at_, true;
          break;
        case ',':
          if (depth == 0) return true;
          break;
        default: break;
      }
      ++at_;
    }
    return false;
  }

 private:
  void skip_blank() {
    while (!ended() && (here() == ' ' || here() == '\n' || here() == '\t' || here() == '\r')) ++at_;
  }
  bool skip_string() {
    const std::size_t begin = ++at_;
    for (;;) {
      at_ = text_.find('"', at_);
      if (at_ == std::string_view::npos) return at_ = text_.size(), false;
      std::size_t escapes = 0;
      while (at_ - escapes > begin && text_[at_ - escapes - 1] == '\\') ++escapes;
      ++at_;
      if (escapes % 2 == 0) return true;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// The members of an object, one after the other. Asking for the next steps over the value of the last.
class JsonMembers {
 public:
  explicit JsonMembers(JsonSkimmer& text) : text_(text), open_(text.take('{')) {}

  // Up to the value of the next member; false behind the last one, and where the text is broken.
  bool next() {
    if (!open_) return false;
    const std::size_t comma = text_.at();
    if (!first_ && !text_.take(',')) return false;
    const auto name = text_.take_string();
    if (!name) return false;
    name_ = *name;
    begin_ = first_ ? text_.at() - name->size() : comma;
    first_ = false;
    return text_.take(':');
  }
  bool find(std::string_view quoted_name) {
    while (next()) {
      if (name_ == quoted_name) return true;
      if (!text_.skip_value()) return false;
    }
    return false;
  }

  std::string_view name() const { return name_; }  // with its quotes
  std::size_t begin() const { return begin_; }     // of the member, with the comma before it

 private:
  JsonSkimmer& text_;
  bool open_;
  bool first_ = true;
  std::string_view name_ = {};
  std::size_t begin_ = 0;
};

// Steps to the value of that member of an object; false when it has none.
inline bool enter(JsonSkimmer& text, std::string_view quoted_name) {
  return JsonMembers(text).find(quoted_name);
}

}  // namespace capstan::api
