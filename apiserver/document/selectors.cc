#include "apiserver/document/selectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "apiserver/document/document.h"
#include "apiserver/document/field_error.h"
#include "apiserver/document/name_rules.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kSpecial = "()!=,<>";

// The words of a label selector: operators, brackets, commas, and everything between them.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ' || text[i] == '\t') {
      ++i;
      continue;
    }
    std::size_t length = 1;
    if (kSpecial.find(text[i]) == std::string_view::npos) {
      length = std::min(text.find_first_of("()!=,<> \t", i), text.size()) - i;
    } else if (text.substr(i, 2) == "==" || text.substr(i, 2) == "!=") {
      length = 2;
    }
    words.emplace_back(text.substr(i, length));
    i += length;
  }
  return words;
}

bool is_identifier(std::string_view word) {
  return !word.empty() && kSpecial.find(word.front()) == std::string_view::npos;
}

// Reads words one by one; the empty word is the end.
class Words {
 public:
  explicit Words(std::vector<std::string> words) : words_(std::move(words)) {}
  std::string_view peek() const {
    return next_ < words_.size() ? std::string_view(words_[next_]) : std::string_view();
  }
  std::string take() { return next_ < words_.size() ? words_[next_++] : std::string(); }

 private:
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

using Values = std::expected<std::vector<std::string>, std::string>;

std::unexpected<std::string> complain(std::string message) { return std::unexpected(std::move(message)); }

Values set_values(Words& words) {
  const auto open = words.take();
  if (open != "(") return complain(fmt::format("found '{}' expected: '('", open));
  std::vector<std::string> values;
  bool want_value = true;
  for (;;) {
    const auto word = words.take();
    if (word == ")" || word == ",") {
      if (want_value) values.emplace_back();
      if (word == ")") return values;
      want_value = true;
    } else if (is_identifier(word) && want_value) {
      values.push_back(word);
      want_value = false;
    } else {
      return complain(
          fmt::format("found '{}', expected: {}", word, want_value ? "',', or identifier" : "',' or ')'"));
    }
  }
}

Values exact_value(Words& words) {
  if (words.peek().empty() || words.peek() == ",") return std::vector<std::string>{""};
  auto word = words.take();
  if (!is_identifier(word)) return complain(fmt::format("found '{}', expected: identifier", word));
  return std::vector<std::string>{std::move(word)};
}

std::optional<std::string> complaint(std::string_view path, std::string_view shown_value,
                                     const std::vector<std::string>& complaints) {
  if (complaints.empty()) return {};
  return fmt::format("{}: Invalid value: {}: {}", path, quoted(shown_value), fmt::join(complaints, "; "));
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

std::expected<LabelSelector, std::string> LabelSelector::parse(std::string_view text) {
  LabelSelector selector;
  Words words(words_of(text));
  while (!words.peek().empty()) {
    Requirement requirement;
    const bool negated = words.peek() == "!";
    if (negated) words.take();
    requirement.key = words.take();
    if (!is_identifier(requirement.key)) {
      const auto expected = negated ? "identifier" : "!, identifier, or 'end of string'";
      return complain(fmt::format("{}found '{}', expected: {}",
                                  negated ? "unable to parse requirement: " : "", requirement.key, expected));
    }
    if (const auto bad = complaint("<nil>", requirement.key, qualified_name_complaints(requirement.key))) {
      return complain("unable to parse requirement: " + *bad);
    }
    const auto op = std::string(words.peek());
    if (negated || op.empty() || op == ",") {
      requirement.op = negated ? Op::NotExists : Op::Exists;
    } else {
      words.take();
      const bool set = op == "in" || op == "notin";
      if (op == "=" || op == "==" || op == "in")
        requirement.op = Op::In;
      else if (op == "!=" || op == "notin")
        requirement.op = Op::NotIn;
      else if (op == ">")
        requirement.op = Op::Greater;
      else if (op == "<")
        requirement.op = Op::Less;
      else
        return complain(fmt::format(
            "unable to parse requirement: found '{}', expected: in, notin, =, ==, !=, gt, lt", op));
      auto values = set ? set_values(words) : exact_value(words);
      if (!values) return complain("unable to parse requirement: " + values.error());
      for (const auto& value : *values) {
        const auto path = fmt::format("values[0][{}]", requirement.key);
        if (const auto bad = complaint(path, value, label_value_complaints(value))) {
          return complain("unable to parse requirement: " + *bad);
        }
      }
      requirement.values = std::move(*values);
    }
    selector.requirements_.push_back(std::move(requirement));
    const auto separator = words.take();
    if (separator.empty()) break;
    if (separator != ",")
      return complain(fmt::format("found '{}', expected: ',' or 'end of string'", separator));
    if (!is_identifier(words.peek()) && words.peek() != "!") {
      return complain(fmt::format("found '{}', expected: identifier after ','", words.peek()));
    }
  }
  return selector;
}

LabelSelector LabelSelector::from_object(const json::value* selector) {
  LabelSelector made;
  const auto* object = selector == nullptr ? nullptr : selector->if_object();
  if (object == nullptr) {
    made.nothing_ = true;
    return made;
  }
  if (const auto* labels = object_at(*object, {"matchLabels"})) {
    for (const auto& label : *labels) {
      made.requirements_.push_back(
          {.key = label.key(), .op = Op::In, .values = {std::string(text_of(label.value()))}});
    }
  }
  if (const auto* expressions = array_at(*object, {"matchExpressions"})) {
    for (const auto& expression : *expressions) {
      const auto* fields = expression.if_object();
      if (fields == nullptr) continue;
      const auto op = text_at(*fields, {"operator"});
      Requirement requirement{.key = std::string(text_at(*fields, {"key"}))};
      requirement.op = op == "In"       ? Op::In
                       : op == "NotIn"  ? Op::NotIn
                       : op == "Exists" ? Op::Exists
                                        : Op::NotExists;
      if (const auto* values = array_at(*fields, {"values"})) {
        for (const auto& value : *values) requirement.values.emplace_back(text_of(value));
      }
      made.requirements_.push_back(std::move(requirement));
    }
  }
  return made;
}

bool LabelSelector::matches(const json::object& document) const {
  return matches_labels(object_at(document, {"metadata", "labels"}));
}

bool LabelSelector::matches_labels(const json::object* labels) const {
  return !nothing_ && std::ranges::all_of(requirements_, [&](const auto& one) { return holds(one, labels); });
}

bool LabelSelector::holds(const Requirement& requirement, const json::object* labels) {
  const auto* value = labels == nullptr ? nullptr : labels->if_contains(requirement.key);
  const auto among = [&] {
    return std::ranges::find(requirement.values, text_of(*value)) != requirement.values.end();
  };
  const auto compares = [&](auto compare) {
    const auto left = value == nullptr ? std::nullopt : number(text_of(*value));
    const auto right = requirement.values.empty() ? std::nullopt : number(requirement.values.front());
    return left && right && compare(*left, *right);
  };
  switch (requirement.op) {
    case Op::In: return value != nullptr && among();
    case Op::NotIn: return value == nullptr || !among();
    case Op::Exists: return value != nullptr;
    case Op::NotExists: return value == nullptr;
    case Op::Greater: return compares(std::greater<>());
    case Op::Less: return compares(std::less<>());
  }
  return false;
}

std::expected<FieldSelector, std::string> FieldSelector::parse(std::string_view text) {
  FieldSelector selector;
  while (!text.empty()) {
    auto end = text.find(',');
    while (end != std::string_view::npos && end > 0 && text[end - 1] == '\\') end = text.find(',', end + 1);
    const auto term = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (term.empty()) continue;
    const auto equals = term.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return complain(fmt::format("invalid selector: '{}'; can't understand '{}'", term, term));
    }
    const bool negated = term[equals - 1] == '!';
    const bool doubled = term.substr(equals, 2) == "==";
    FieldRequirement requirement{
        .field = std::string(term.substr(0, equals - (negated ? 1 : 0))), .value = {}, .equal = !negated};
    const auto escaped = term.substr(equals + (doubled ? 2 : 1));
    for (std::size_t i = 0; i < escaped.size(); ++i) {
      if (escaped[i] == '\\' && i + 1 < escaped.size()) ++i;
      requirement.value += escaped[i];
    }
    selector.requirements_.push_back(std::move(requirement));
  }
  return selector;
}

bool FieldSelector::matches(const json::object& document) const {
  return std::ranges::all_of(requirements_, [&](const FieldRequirement& one) {
    return (field_text(document, one.field) == one.value) == one.equal;
  });
}

std::string field_text(const json::object& document, std::string_view dotted) {
  const json::object* here = &document;
  for (;;) {
    const auto dot = dotted.find('.');
    const auto* found = here->if_contains(dotted.substr(0, dot));
    if (found == nullptr || found->is_null()) return {};
    if (dot == std::string_view::npos) {
      return found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
    }
    here = found->if_object();
    if (here == nullptr) return {};
    dotted.remove_prefix(dot + 1);
  }
}

}  // namespace capstan::apiserver
