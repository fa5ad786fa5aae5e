#include "api/contract/what_is_read.h"

#include <algorithm>
#include <array>

#include "api/names.h"

namespace capstan::api::contract {
namespace {

// Of infrastructure and bootstrap objects Ready; the others of control planes.
constexpr std::array kRead = {condition::kReady, condition::kAvailable, condition::kRollingOut,
                              condition::kScalingUp, condition::kScalingDown};

// A quote inside of a string has a backslash before it: this is found only where it is a member.
constexpr std::string_view kType = R"("type":")";
constexpr std::string_view kBeforeNewer = R"({"conditions":)";  // how status.v1beta2 begins

struct Element {
  std::size_t end = 0;  // at the comma behind it, or at the bracket that ends the list
  bool flat = true;     // nothing nested, as conditions are
};

Element element_at(std::string_view list, std::size_t from) {
  Element element;
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = from; at < list.size(); ++at) {
    const char c = list[at];
    if (quoted) {
      if (c == '\\') ++at;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      element.flat = ++depth < 2 && element.flat;
    } else if (depth == 0 && (c == ',' || c == ']')) {
      element.end = at;
      return element;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  element.end = list.size();
  return element;
}

bool is_read(std::string_view condition) {
  const auto at = condition.find(kType);
  if (at == std::string_view::npos) return true;
  const std::string_view rest = condition.substr(at + kType.size());
  return is_condition_read(rest.substr(0, rest.find('"')));
}

void replace_if_shorter(RawJson& raw, const std::string& kept) {
  if (kept.size() < raw.text().size()) raw = RawJson::from_compact(kept);
}

}  // namespace

bool is_condition_read(std::string_view type) { return std::ranges::find(kRead, type) != kRead.end(); }

std::string conditions_that_are_read(std::string_view compact) {
  if (!compact.starts_with('[')) return std::string(compact);
  std::string kept = "[";
  for (std::size_t at = 1; at < compact.size() && compact[at] != ']';) {
    const Element element = element_at(compact, at);
    const std::string_view text = compact.substr(at, element.end - at);
    if (!element.flat || is_read(text)) {
      if (kept.size() > 1) kept += ',';
      kept += text;
    }
    at = element.end < compact.size() && compact[element.end] == ',' ? element.end + 1 : element.end;
  }
  return kept += ']';
}

void keep_what_is_read(ContractObject& object) {
  ContractStatus& status = object.status;
  if (!status.conditions.empty())
    replace_if_shorter(status.conditions, conditions_that_are_read(status.conditions.text()));
  // Both generations at once: the newer one is all that status.v1beta2 has.
  const std::string_view newer = status.v1beta2.text();
  if (newer.starts_with(kBeforeNewer) && newer.ends_with("]}")) {
    const auto list = newer.substr(kBeforeNewer.size(), newer.size() - kBeforeNewer.size() - 1);
    if (element_at(list, 0).end == list.size())
      replace_if_shorter(status.v1beta2, std::string(kBeforeNewer) + conditions_that_are_read(list) + "}");
  }
}

}  // namespace capstan::api::contract
