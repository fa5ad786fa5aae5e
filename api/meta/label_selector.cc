#include "api/meta/label_selector.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include "base/try.h"

namespace capstan::api {
namespace {

using Operator = Selector::Operator;
using Requirement = Selector::Requirement;

std::optional<Operator> parse_operator(std::string_view name) {
  if (name == "In") return Operator::In;
  if (name == "NotIn") return Operator::NotIn;
  if (name == "Exists") return Operator::Exists;
  if (name == "DoesNotExist") return Operator::DoesNotExist;
  return std::nullopt;
}

bool takes_values(Operator op) { return op != Operator::Exists && op != Operator::DoesNotExist; }

Result<Requirement> requirement_of(const LabelSelectorRequirement& from) {
  const auto op = parse_operator(from.operator_);
  if (!op)
    return fail(Code::Invalid,
                fmt::format("\"{}\" is not a valid label selector operator", from.operator_.view()));
  if (takes_values(*op) == from.values.empty()) {
    return fail(Code::Invalid,
                fmt::format("label selector operator {} on {} {}", from.operator_.view(), from.key.view(),
                            takes_values(*op) ? "needs values" : "takes no values"));
  }
  Requirement requirement{.key = from.key.str(), .op = *op};
  for (const Text& value : from.values) requirement.values.push_back(value.str());
  std::ranges::sort(requirement.values);
  return requirement;
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool compares(std::string_view label, const Requirement& requirement) {
  const auto left = number(label);
  const auto right = number(requirement.values.front());
  if (!left || !right) return false;
  return requirement.op == Operator::GreaterThan ? *left > *right : *left < *right;
}

bool holds(const Requirement& requirement, const TextMap& labels) {
  const Text* label = labels.find(requirement.key);
  const auto listed = [&] {
    return std::ranges::any_of(requirement.values,
                               [&](const auto& value) { return *label == std::string_view(value); });
  };
  switch (requirement.op) {
    case Operator::In:
    case Operator::Equals: return label != nullptr && listed();
    case Operator::NotIn:
    case Operator::NotEquals: return label == nullptr || !listed();
    case Operator::Exists: return label != nullptr;
    case Operator::DoesNotExist: return label == nullptr;
    case Operator::GreaterThan:
    case Operator::LessThan: return label != nullptr && compares(*label, requirement);
  }
  return false;
}

std::string print(const Requirement& requirement) {
  const std::string values = fmt::format("{}", fmt::join(requirement.values, ","));
  switch (requirement.op) {
    case Operator::In: return fmt::format("{} in ({})", requirement.key, values);
    case Operator::NotIn: return fmt::format("{} notin ({})", requirement.key, values);
    case Operator::Exists: return requirement.key;
    case Operator::DoesNotExist: return "!" + requirement.key;
    case Operator::Equals: return fmt::format("{}={}", requirement.key, values);
    case Operator::NotEquals: return fmt::format("{}!={}", requirement.key, values);
    case Operator::GreaterThan: return fmt::format("{}>{}", requirement.key, values);
    case Operator::LessThan: return fmt::format("{}<{}", requirement.key, values);
  }
  return {};
}

// Reads the kubectl syntax, one requirement after the other.
class SelectorReader {
 public:
  explicit SelectorReader(std::string_view text) : text_(text) {}

  Result<std::vector<Requirement>> read() {
    std::vector<Requirement> out;
    for (bool first = true; skip_blanks(), !text_.empty(); first = false) {
      if (!first && !take(",")) return unexpected();
      out.push_back(TRY(requirement()));
    }
    return out;
  }

 private:
  Result<Requirement> requirement() {
    if (take("!")) {
      auto absent = Requirement{.key = TRY(word("label key")), .op = Operator::DoesNotExist};
      return absent;
    }
    Requirement requirement{.key = TRY(word("label key"))};
    if (skip_blanks(), text_.empty() || text_.front() == ',') return requirement;
    if (take("==") || take("=")) return compared(std::move(requirement), Operator::Equals);
    if (take("!=")) return compared(std::move(requirement), Operator::NotEquals);
    if (take(">")) return compared(std::move(requirement), Operator::GreaterThan);
    if (take("<")) return compared(std::move(requirement), Operator::LessThan);
    if (take_word("notin")) return listed(std::move(requirement), Operator::NotIn);
    if (take_word("in")) return listed(std::move(requirement), Operator::In);
    return unexpected();
  }

  Result<Requirement> compared(Requirement requirement, Operator op) {
    requirement.op = op;
    skip_blanks();
    requirement.values.push_back(std::string(take_plain()));
    const bool numeric = op == Operator::GreaterThan || op == Operator::LessThan;
    if (numeric && !number(requirement.values.front())) {
      return fail(Code::Invalid,
                  fmt::format("label selector: {} is compared with \"{}\", which is no integer",
                              requirement.key, requirement.values.front()));
    }
    return requirement;
  }

  Result<Requirement> listed(Requirement requirement, Operator op) {
    requirement.op = op;
    if (!take("(")) return unexpected();
    do {
      skip_blanks();
      requirement.values.push_back(std::string(take_plain()));
    } while (take(","));
    if (!take(")")) return unexpected();
    std::ranges::sort(requirement.values);
    return requirement;
  }

  Result<std::string> word(std::string_view what) {
    skip_blanks();
    const std::string_view taken = take_plain();
    if (taken.empty())
      return fail(Code::Invalid, fmt::format("label selector: expected {} before \"{:.32}\"", what, text_));
    return std::string(taken);
  }

  std::string_view take_plain() {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,()=!<>"), text_.size());
    const std::string_view taken = text_.substr(0, end);
    text_.remove_prefix(end);
    return taken;
  }

  bool take(std::string_view token) {
    skip_blanks();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }

  // A word ends at a blank or a bracket: "in(a)" is one, "inside" is none.
  bool take_word(std::string_view name) {
    skip_blanks();
    if (!text_.starts_with(name)) return false;
    const std::string_view rest = text_.substr(name.size());
    if (!rest.empty() && rest.find_first_of(" \t\r\n(") != 0) return false;
    text_ = rest;
    return true;
  }

  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size())); }

  Failure unexpected() const {
    return fail(Code::Invalid, fmt::format("label selector: unexpected \"{:.32}\"", text_));
  }

  std::string_view text_;
};

}  // namespace

Result<Selector> Selector::from(const LabelSelector& from) {
  Selector selector;
  for (const auto& [key, value] : from.match_labels) {
    selector.requirements_.push_back({.key = key.str(), .op = Operator::Equals, .values = {value.str()}});
  }
  for (const auto& expression : from.match_expressions) {
    selector.requirements_.push_back(TRY(requirement_of(expression)));
  }
  std::ranges::stable_sort(selector.requirements_, {}, &Requirement::key);
  return selector;
}

Result<Selector> Selector::parse(std::string_view text) {
  Selector selector;
  selector.requirements_ = TRY(SelectorReader(text).read());
  std::ranges::stable_sort(selector.requirements_, {}, &Requirement::key);
  return selector;
}

bool Selector::matches(const TextMap& labels) const {
  return std::ranges::all_of(requirements_, [&](const Requirement& each) { return holds(each, labels); });
}

std::string Selector::str() const {
  std::string out;
  for (const Requirement& requirement : requirements_) {
    if (!out.empty()) out += ',';
    out += print(requirement);
  }
  return out;
}

}  // namespace capstan::api
