// Steps over JSON text without understanding more of it than where strings and brackets end: to find one
// member in a document that nobody needs to parse. A value on the stack; refers to the text it was made from.
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
    for (++at_; !ended(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == '"') {
        return ++at_, true;
      }
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace capstan::api
