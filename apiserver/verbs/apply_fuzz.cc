// Three JSON objects, a line each: a live object, and two configurations one manager applies to it by force,
// one after the other. Whatever they hold: nothing crashes, what is applied is there afterwards, and applying
// it again changes nothing but what holds nothing.
#include <boost/json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "apiserver/fields/ownership.h"
#include "apiserver/fields/typed_value.h"
#include "apiserver/schema/parse.h"

namespace {

using namespace capstan::apiserver;

constexpr std::string_view kSchema = R"({"type": "object", "properties": {
  "spec": {"type": "object", "properties": {
    "replicas": {"type": "integer"},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "atom": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
    "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
    "atoms": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
    "items": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
      "items": {"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "value": {"type": "string"},
        "ports": {"type": "array", "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
          "items": {"type": "object", "properties": {
            "port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"},
            "note": {"type": "string"}}}}}}},
    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
    "share": {"x-kubernetes-int-or-string": true}}},
  "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}})";

const Schema& schema() {
  static const SchemaPtr parsed = [] {
    const json::value source = json::parse(kSchema);
    return parse_schema(&source);
  }();
  return *parsed;
}

// An object as the endpoint lets it through: metadata, if any, is an object, and no configuration says who
// manages what.
std::optional<json::object> object_of(std::string_view line, bool configuration) {
  boost::system::error_code failed;
  json::value value = json::parse(line, failed);
  if (failed || !value.is_object()) return {};
  auto& object = value.get_object();
  if (const auto* metadata = object.if_contains("metadata"); metadata != nullptr && !metadata->is_object())
    return {};
  if (configuration) {
    if (apply_obstacle(object, schema())) return {};
    if (object.contains("metadata")) object["metadata"].get_object().erase("managedFields");
  }
  return std::move(object);
}

// The same without what holds nothing.
json::value solid(const json::value& value) {
  const auto holds_nothing = [](const json::value& one) {
    return one.is_null() || (one.is_object() && one.get_object().empty()) ||
           (one.is_array() && one.get_array().empty());
  };
  if (const auto* object = value.if_object()) {
    json::object kept;
    for (const auto& field : *object) {
      auto rest = solid(field.value());
      if (!holds_nothing(rest)) kept.emplace(field.key(), std::move(rest));
    }
    return kept;
  }
  const auto* array = value.if_array();
  if (array == nullptr) return value;
  json::array kept;
  for (const auto& item : *array) kept.push_back(solid(item));
  return kept;
}

// Where a configuration names a struct and nothing in it, the struct goes with the last field that the
// manager gives up, as it does upstream, and comes with the next application.
json::object applied(const Ownership& ownership, const json::object& live,
                     const json::object& configuration) {
  const auto result = apply_configuration(ownership, &live, configuration, true);
  if (!result) std::abort();  // force knows no conflict
  const auto again = apply_configuration(ownership, &*result, configuration, false);
  if (!again || solid(*again) != solid(*result)) std::abort();
  if (!compare(*again, merge(*again, configuration, schema()), schema()).same()) std::abort();
  const auto settled = apply_configuration(ownership, &*again, configuration, false);
  if (!settled || *settled != *again) std::abort();
  return *result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto first = text.find('\n');
  const auto second = first == std::string_view::npos ? first : text.find('\n', first + 1);
  if (second == std::string_view::npos) return 0;
  auto live = object_of(text.substr(0, first), false);
  const auto mine = object_of(text.substr(first + 1, second - first - 1), true);
  const auto later = object_of(text.substr(second + 1), true);
  if (!live || !mine || !later) return 0;
  Ownership other{.schema = schema(), .api_version = "test.io/v1", .manager = "other", .now = "1"};
  own_after_update(other, *live, nullptr);
  const Ownership ownership{.schema = schema(), .api_version = "test.io/v1", .manager = "me", .now = "2"};
  // A live object may be older than its schema: then only survival is promised.
  if (apply_obstacle(*live, schema())) {
    [[maybe_unused]] const auto survived = apply_configuration(ownership, &*live, *mine, true);
    return 0;
  }
  applied(ownership, applied(ownership, *live, *mine), *later);
  return 0;
}
