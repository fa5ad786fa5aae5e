#include "kube/cut_managed_fields.h"

#include <optional>
#include <string_view>

namespace capstan::kube {
namespace {

// Steps over JSON without understanding more of it than where strings and brackets end. `at` is size() once
// the text ended early.
class Skimmer {
 public:
  explicit Skimmer(std::string_view text) : text_(text) {}

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

// Where a member stands, with the comma that goes when it goes.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Steps into an object up to the value of that member; false when it has none.
bool enter(Skimmer& text, std::string_view quoted_name, Span* whole) {
  if (!text.take('{')) return false;
  for (bool first = true;; first = false) {
    const std::size_t comma = text.at();
    if (!first && !text.take(',')) return false;
    const auto name = text.take_string();
    if (!name) return false;
    const std::size_t begin = text.at() - name->size();
    if (!text.take(':')) return false;
    if (*name == quoted_name) {
      if (whole != nullptr) whole->begin = first ? begin : comma;
      return true;
    }
    if (!text.skip_value()) return false;
  }
}

std::optional<Span> find_managed_fields(std::string_view document) {
  Skimmer text(document);
  Span whole;
  if (!enter(text, R"("metadata")", nullptr) || !enter(text, R"("managedFields")", &whole)) return {};
  if (!text.skip_value()) return {};
  whole.end = text.at();
  // The first member goes with the comma behind it.
  if (document[whole.begin] != ',' && text.take(',')) whole.end = text.at();
  return whole;
}

}  // namespace

void cut_managed_fields(std::string& document) {
  if (const auto whole = find_managed_fields(document))
    document.erase(whole->begin, whole->end - whole->begin);
}

}  // namespace capstan::kube
