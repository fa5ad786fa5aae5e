// Label and field selectors: the query parameters' grammar and the LabelSelector object of policies.
// Immutable values; pure.
#pragma once

#include <boost/json.hpp>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::apiserver {

namespace json = boost::json;

class LabelSelector {
 public:
  // "app=web,tier in (a,b),!old". The error is the sentence the server answers with.
  static std::expected<LabelSelector, std::string> parse(std::string_view text);
  // {"matchLabels":{},"matchExpressions":[]}; null and absent match nothing, {} matches everything.
  static LabelSelector from_object(const json::value* selector);

  bool matches(const json::object& document) const;  // by its metadata.labels
  bool matches_labels(const json::object* labels) const;
  bool everything() const { return !nothing_ && requirements_.empty(); }

 private:
  enum class Op { In, NotIn, Exists, NotExists, Greater, Less };
  struct Requirement {
    std::string key = {};
    Op op = Op::Exists;
    std::vector<std::string> values = {};
  };
  static bool holds(const Requirement& requirement, const json::object* labels);

  std::vector<Requirement> requirements_ = {};
  bool nothing_ = false;
};

struct FieldRequirement {
  std::string field = {};  // "metadata.name"
  std::string value = {};
  bool equal = true;
};

class FieldSelector {
 public:
  // "status.phase!=Failed,spec.nodeName=a"
  static std::expected<FieldSelector, std::string> parse(std::string_view text);

  bool matches(const json::object& document) const;
  bool everything() const { return requirements_.empty(); }
  const std::vector<FieldRequirement>& requirements() const { return requirements_; }

 private:
  std::vector<FieldRequirement> requirements_ = {};
};

// The value a field selector compares: "" when absent, numbers and booleans as text.
std::string field_text(const json::object& document, std::string_view dotted);

}  // namespace capstan::apiserver
