// The subset of kubectl's JSONPath that printer columns use: names, indexes, slices, wildcards, descent,
// unions and filters such as [?(@.type=="Ready")]. Missing keys find nothing. Immutable values; pure.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::apiserver {

namespace json = boost::json;

class JsonPath {
 public:
  // ".spec.replicas", with or without "{" and "$". The error says what is wrong with it.
  static std::expected<JsonPath, std::string> parse(std::string_view text);

  // Everything found, in document order; pointers into `root`.
  std::vector<const json::value*> find(const json::value& root) const;
  std::vector<const json::value*> find(const json::object& root) const;

 private:
  friend class JsonPathParser;
  enum class StepKind { Names, Slice, All, Descend, Filter };
  enum class Relation { Exists, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
  struct Filter;
  struct Step {
    StepKind kind = StepKind::Names;
    std::vector<std::string> names = {};
    std::optional<std::int64_t> from = {};
    std::optional<std::int64_t> to = {};
    std::int64_t stride = 1;
    std::shared_ptr<const Filter> filter = {};
  };
  using Found = std::vector<const json::value*>;
  static void take(const Step& step, const json::value& at, Found& found);
  static bool passes(const Filter& filter, const json::value& candidate);
  Found run(Found found, std::size_t first_step) const;

  std::vector<Step> steps_ = {};
};

// A side of a comparison: a path from the candidate, or a constant.
struct JsonPath::Filter {
  JsonPath left = {};
  Relation relation = Relation::Exists;
  std::optional<JsonPath> right_path = {};
  json::value right = nullptr;
};

}  // namespace capstan::apiserver
