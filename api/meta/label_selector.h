// LabelSelector as it stands in objects, and Selector, the compiled form that matches: from a LabelSelector
// or from the string syntax of kubectl -l. Values; matching is pure.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/field.h"
#include "base/result.h"

namespace capstan::api {

struct LabelSelectorRequirement {
  Text key = {};
  Text operator_ = {};  // "In", "NotIn", "Exists", "DoesNotExist"
  std::vector<Text> values = {};
  UnknownFields unknown = {};
  bool operator==(const LabelSelectorRequirement&) const = default;
};

template <>
inline constexpr auto members<LabelSelectorRequirement> = std::array{
    member<&LabelSelectorRequirement::key>("key",
                                           {.required = true, .doc = "The label the requirement is about."}),
    member<&LabelSelectorRequirement::operator_>(
        "operator",
        {.required = true, .doc = "How the label relates to the values: In, NotIn, Exists or DoesNotExist."}),
    member<&LabelSelectorRequirement::values>(
        "values", {.list = ListType::Atomic,
                   .doc = "The values of In and NotIn, at least one; empty for Exists and DoesNotExist."}),
};

struct LabelSelector {
  TextMap match_labels = {};
  std::vector<LabelSelectorRequirement> match_expressions = {};
  UnknownFields unknown = {};

  bool empty() const { return match_labels.empty() && match_expressions.empty(); }
  bool operator==(const LabelSelector&) const = default;
};

template <>
inline constexpr auto members<LabelSelector> = std::array{
    member<&LabelSelector::match_labels>("matchLabels",
                                         {.doc = "Labels an object must carry with these values."}),
    member<&LabelSelector::match_expressions>(
        "matchExpressions",
        {.list = ListType::Atomic, .doc = "Further requirements; all of them must hold."}),
};
template <>
inline constexpr ObjectRules object_rules<LabelSelector> = {.map_atomic = true};

// A selector ready to match. Requirements stand in the order of their keys, as upstream prints them.
class Selector {
 public:
  enum class Operator : std::uint8_t {
    In,
    NotIn,
    Exists,
    DoesNotExist,
    Equals,
    NotEquals,
    GreaterThan,
    LessThan
  };
  struct Requirement {
    std::string key = {};
    Operator op = Operator::Exists;
    std::vector<std::string> values = {};  // sorted
    bool operator==(const Requirement&) const = default;
  };

  // Matches everything.
  Selector() = default;
  // An empty LabelSelector matches everything; an unknown operator or a missing value is an error.
  static Result<Selector> from(const LabelSelector& selector);
  // "a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1"
  static Result<Selector> parse(std::string_view text);

  bool matches(const TextMap& labels) const;
  bool matches_everything() const { return requirements_.empty(); }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  // The string form, as it stands in status.selector.
  std::string str() const;
  bool operator==(const Selector&) const = default;

 private:
  std::vector<Requirement> requirements_ = {};
};

}  // namespace capstan::api
