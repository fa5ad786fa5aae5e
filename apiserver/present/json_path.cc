#include "apiserver/present/json_path.h"

#include <algorithm>
#include <charconv>

namespace capstan::apiserver {

using Fault = std::unexpected<std::string>;

class JsonPathParser {
 public:
  explicit JsonPathParser(std::string_view text) : rest_(text) {}

  std::expected<JsonPath, std::string> path(std::string_view stops) {
    JsonPath path;
    if (!take("$")) take("@");
    while (!rest_.empty() && stops.find(rest_.front()) == std::string_view::npos) {
      auto step = next_step(stops);
      if (!step) return Fault(std::move(step).error());
      path.steps_.push_back(std::move(*step));
    }
    return path;
  }

 private:
  using Step = JsonPath::Step;
  using Filter = JsonPath::Filter;
  using Relation = JsonPath::Relation;

  bool take(std::string_view mark) {
    if (!rest_.starts_with(mark)) return false;
    rest_.remove_prefix(mark.size());
    return true;
  }
  void skip_blanks() {
    while (take(" ")) {
    }
  }

  std::expected<Step, std::string> next_step(std::string_view stops) {
    if (take("..")) return Step{.kind = JsonPath::StepKind::Descend, .names = {name(stops)}};
    if (take(".[") || take("[")) return bracket();
    if (!take(".") && rest_.front() == '.') return Fault("unexpected '.'");
    auto word = name(stops);
    if (word.empty()) return Fault("empty name in path");
    if (word == "*") return Step{.kind = JsonPath::StepKind::All};
    return Step{.names = {std::move(word)}};
  }

  // Up to the next step; a backslash makes the next character part of the name.
  std::string name(std::string_view stops) {
    std::string word;
    while (!rest_.empty() && rest_.front() != '.' && rest_.front() != '[' &&
           stops.find(rest_.front()) == std::string_view::npos) {
      if (rest_.front() == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
      word.push_back(rest_.front());
      rest_.remove_prefix(1);
    }
    return word;
  }

  std::expected<Step, std::string> bracket() {
    skip_blanks();
    if (take("?(")) return filter();
    if (take("*]")) return Step{.kind = JsonPath::StepKind::All};
    if (rest_.starts_with('\'') || rest_.starts_with('"')) return quoted_names();
    return slice();
  }

  std::expected<Step, std::string> quoted_names() {
    Step step;
    do {
      skip_blanks();
      auto word = quoted();
      if (!word) return Fault("unterminated quoted name");
      step.names.push_back(std::move(*word));
      skip_blanks();
    } while (take(","));
    if (!take("]")) return Fault("']' is missing");
    return step;
  }

  std::optional<std::string> quoted() {
    if (rest_.empty()) return {};
    const char quote = rest_.front();
    std::string word;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == quote) {
        rest_.remove_prefix(i + 1);
        return word;
      }
      if (rest_[i] == '\\' && i + 1 < rest_.size()) ++i;
      word.push_back(rest_[i]);
    }
    return {};
  }

  std::optional<std::int64_t> number() {
    std::int64_t value = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (read.ec != std::errc()) return {};
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    return value;
  }

  std::expected<Step, std::string> slice() {
    Step step{.kind = JsonPath::StepKind::Slice};
    step.from = number();
    if (take(":")) {
      step.to = number();
      if (take(":")) step.stride = number().value_or(1);
    } else if (step.from) {
      // One element; -1 is the last, so its end is open.
      if (*step.from != -1) step.to = *step.from + 1;
    } else {
      return Fault("a number, a name in quotes, '*' or a filter is missing after '['");
    }
    if (!take("]")) return Fault("']' is missing");
    if (step.stride <= 0) return Fault("the step of a slice must be positive");
    return step;
  }

  std::expected<Step, std::string> filter() {
    auto condition = std::make_shared<Filter>();
    skip_blanks();
    auto left = path(" =!<>)");
    if (!left) return Fault(std::move(left).error());
    condition->left = std::move(*left);
    skip_blanks();
    condition->relation = relation();
    if (condition->relation != Relation::Exists) {
      skip_blanks();
      if (const auto fault = right_side(*condition)) return Fault(*fault);
      skip_blanks();
    }
    if (!take(")]")) return Fault("')]' is missing");
    return Step{.kind = JsonPath::StepKind::Filter, .filter = std::move(condition)};
  }

  Relation relation() {
    if (take("==")) return Relation::Equal;
    if (take("!=")) return Relation::NotEqual;
    if (take("<=")) return Relation::LessEqual;
    if (take(">=")) return Relation::GreaterEqual;
    if (take("<")) return Relation::Less;
    if (take(">")) return Relation::Greater;
    return Relation::Exists;
  }

  std::optional<std::string> right_side(Filter& condition) {
    if (rest_.starts_with('@') || rest_.starts_with('$')) {
      auto right = path(" )");
      if (!right) return std::move(right).error();
      condition.right_path = std::move(*right);
      return {};
    }
    if (rest_.starts_with('\'') || rest_.starts_with('"')) {
      auto word = quoted();
      if (!word) return "unterminated text in a filter";
      condition.right = json::string(*word);
      return {};
    }
    const auto end = rest_.find_first_of(" )");
    json::error_code error;
    condition.right = json::parse(rest_.substr(0, end), error);
    if (error) return "a filter compares with a number, a text in quotes, true or false";
    rest_.remove_prefix(std::min(end, rest_.size()));
    return {};
  }

  std::string_view rest_;
};

namespace {

// Less than zero, zero, more than zero; nothing when the two can't be compared.
std::optional<int> compared(const json::value& left, const json::value& right) {
  if (left.is_number() && right.is_number()) {
    const auto a = left.to_number<double>();
    const auto b = right.to_number<double>();
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (left.is_string() && right.is_string()) return left.get_string().compare(right.get_string());
  if (left.is_bool() && right.is_bool()) return left.get_bool() == right.get_bool() ? 0 : 1;
  return {};
}

void take_member(const json::value& at, const std::string& name, std::vector<const json::value*>& found) {
  if (!at.is_object()) return;
  if (const auto* member = at.get_object().if_contains(name)) found.push_back(member);
}

void descend(const json::value& at, const std::string& name, std::vector<const json::value*>& found) {
  if (const auto* array = at.if_array()) {
    for (const auto& element : *array) descend(element, name, found);
  }
  if (const auto* object = at.if_object()) {
    if (name.empty()) {
      for (const auto& member : *object) found.push_back(&member.value());
    } else {
      take_member(at, name, found);
    }
    for (const auto& member : *object) descend(member.value(), name, found);
  }
}

}  // namespace

std::expected<JsonPath, std::string> JsonPath::parse(std::string_view text) {
  if (text.starts_with('{') && text.ends_with('}')) text = text.substr(1, text.size() - 2);
  return JsonPathParser(text).path("");
}

std::vector<const json::value*> JsonPath::find(const json::value& root) const { return run({&root}, 0); }

std::vector<const json::value*> JsonPath::find(const json::object& root) const {
  if (steps_.empty()) return {};
  // The first step by hand: an object is not a value, and copying it only to look inside would be a waste.
  const auto& first = steps_.front();
  Found found;
  switch (first.kind) {
    case StepKind::Names:
      for (const auto& name : first.names) {
        if (const auto* member = root.if_contains(name)) found.push_back(member);
      }
      break;
    case StepKind::All:
      for (const auto& member : root) found.push_back(&member.value());
      break;
    case StepKind::Descend:
      if (const auto* member = root.if_contains(first.names.front())) found.push_back(member);
      for (const auto& member : root) descend(member.value(), first.names.front(), found);
      break;
    case StepKind::Slice:
    case StepKind::Filter: break;
  }
  return run(std::move(found), 1);
}

JsonPath::Found JsonPath::run(Found found, std::size_t first_step) const {
  for (std::size_t i = first_step; i < steps_.size(); ++i) {
    Found next;
    for (const auto* at : found) take(steps_[i], *at, next);
    found = std::move(next);
  }
  return found;
}

void JsonPath::take(const Step& step, const json::value& at, Found& found) {
  const auto* array = at.if_array();
  switch (step.kind) {
    case StepKind::Names:
      for (const auto& name : step.names) take_member(at, name, found);
      return;
    case StepKind::All:
      if (array != nullptr) {
        for (const auto& element : *array) found.push_back(&element);
      } else if (const auto* object = at.if_object()) {
        for (const auto& member : *object) found.push_back(&member.value());
      }
      return;
    case StepKind::Descend: return descend(at, step.names.front(), found);
    case StepKind::Filter:
      if (array == nullptr) return;
      for (const auto& element : *array) {
        if (passes(*step.filter, element)) found.push_back(&element);
      }
      return;
    case StepKind::Slice: {
      if (array == nullptr) return;
      const auto size = static_cast<std::int64_t>(array->size());
      auto from = step.from.value_or(0);
      auto to = step.to.value_or(size);
      if (from < 0) from += size;
      if (to < 0) to += size;
      for (auto i = std::max<std::int64_t>(from, 0); i < std::min(to, size); i += step.stride) {
        found.push_back(&(*array)[static_cast<std::size_t>(i)]);
      }
    }
  }
}

bool JsonPath::passes(const Filter& filter, const json::value& candidate) {
  const auto left = filter.left.run({&candidate}, 0);
  if (filter.relation == Relation::Exists) return !left.empty();
  const json::value* right = &filter.right;
  if (filter.right_path) {
    const auto found = filter.right_path->run({&candidate}, 0);
    if (found.empty()) return false;
    right = found.front();
  }
  if (left.empty()) return false;
  const auto order = compared(*left.front(), *right);
  if (!order) return filter.relation == Relation::NotEqual;
  switch (filter.relation) {
    case Relation::Equal: return *order == 0;
    case Relation::NotEqual: return *order != 0;
    case Relation::Less: return *order < 0;
    case Relation::LessEqual: return *order <= 0;
    case Relation::Greater: return *order > 0;
    case Relation::GreaterEqual: return *order >= 0;
    case Relation::Exists: break;
  }
  return true;
}

}  // namespace capstan::apiserver
