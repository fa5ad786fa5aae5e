#include "test/envtest/schema_faults.h"

#include <algorithm>
#include <array>
#include <functional>
#include <regex>
#include <stdexcept>

namespace capstan::envtest {
namespace {

namespace json = boost::json;

constexpr std::int64_t kLongestList = 150;
constexpr std::array kTexts = {"a", "A", "a.b/v1", "[1-2]", "v1.36.0", "2026-01-02T03:04:05Z"};

// The whole patch around a value that stands at one place.
using Around = std::function<json::value(json::value)>;

const json::value* keyword_of(const json::object& schema, std::string_view name) {
  return schema.if_contains(name);
}
std::int64_t number_of(const json::object& schema, std::string_view name, std::int64_t otherwise) {
  const auto* found = schema.if_contains(name);
  return found == nullptr ? otherwise : found->to_number<std::int64_t>();
}
std::string type_of_schema(const json::object& schema) {
  const auto* found = schema.if_contains("type");
  return found == nullptr ? std::string() : std::string(found->as_string());
}
json::object properties_of(const json::object& schema) {
  const auto* found = schema.if_contains("properties");
  return found == nullptr ? json::object() : found->as_object();
}
bool is_required(const json::object& schema, std::string_view name) {
  const auto* required = schema.if_contains("required");
  return required != nullptr && std::ranges::any_of(required->as_array(), [&](const json::value& one) {
           return one.as_string() == name;
         });
}

json::value least(const json::object& schema);

bool fits(const json::object& schema, const std::string& text) {
  if (const auto* pattern = keyword_of(schema, "pattern"))
    if (!std::regex_search(text, std::regex(std::string(pattern->as_string())))) return false;
  return !schema.contains("format") || text.size() > 10;
}

json::value least_text(const json::object& schema) {
  if (const auto* choices = keyword_of(schema, "enum")) return choices->as_array().front();
  for (const char* text : kTexts)
    if (fits(schema, text)) return json::string(text);
  return json::string("a");
}

json::value least_object(const json::object& schema) {
  json::object made;
  for (const auto& [name, inner] : properties_of(schema))
    if (is_required(schema, name)) made[name] = least(inner.as_object());
  if (made.empty() && schema.contains("minProperties")) {
    const auto properties = properties_of(schema);
    if (properties.empty())
      made["a"] = "b";
    else
      made[properties.begin()->key()] = least(properties.begin()->value().as_object());
  }
  return made;
}

// The smallest value that the schema takes.
json::value least(const json::object& schema) {
  const std::string type = type_of_schema(schema);
  if (type == "string") return least_text(schema);
  if (type == "boolean") return true;
  if (type == "object") return least_object(schema);
  if (type == "array") {
    if (number_of(schema, "minItems", 0) == 0) return json::array();
    return json::array{least(schema.at("items").as_object())};
  }
  return std::max<std::int64_t>(1, number_of(schema, "minimum", 1));
}

// List items that differ in the keys of their list.
json::array many_items(const json::object& schema, std::int64_t count) {
  json::array items;
  const json::value one = least(schema.at("items").as_object());
  const auto* keys = keyword_of(schema, "x-kubernetes-list-map-keys");
  for (std::int64_t i = 0; i < count; ++i) {
    json::value item = one;
    if (item.is_string()) item = json::string(std::string(one.as_string()) + std::to_string(i));
    if (keys != nullptr && item.is_object()) {
      json::value& key = item.as_object()[keys->as_array().front().as_string()];
      if (key.is_string()) key = json::string(std::string(key.as_string()) + std::to_string(i));
    }
    items.push_back(std::move(item));
  }
  return items;
}

class Walk {
 public:
  std::vector<SchemaFault> faults = {};

  void visit(const json::object& schema, const std::string& path, const Around& around) {
    if (schema.contains("x-kubernetes-preserve-unknown-fields")) return;
    if (schema.contains("x-kubernetes-int-or-string")) return add(path, "type", around(json::array()));
    const std::string type = type_of_schema(schema);
    if (type == "string") return visit_text(schema, path, around);
    if (type == "integer") return visit_number(schema, path, around);
    if (type == "boolean") return add(path, "type", around("x"));
    if (type == "array") return visit_list(schema, path, around);
    if (type == "object") visit_object(schema, path, around);
  }

 private:
  void add(const std::string& path, std::string_view keyword, json::value patch) {
    faults.push_back({.path = path, .keyword = std::string(keyword), .patch = std::move(patch)});
  }

  void visit_text(const json::object& schema, const std::string& path, const Around& around) {
    add(path, "type", around(7));
    if (number_of(schema, "minLength", 0) > 0) add(path, "minLength", around(""));
    if (const auto most = number_of(schema, "maxLength", 0); most > 0)
      add(path, "maxLength", around(json::string(std::string(static_cast<std::size_t>(most) + 1, 'a'))));
    if (schema.contains("pattern")) add(path, "pattern", around("-!"));
    if (schema.contains("enum")) add(path, "enum", around("Nonsense"));
    if (schema.contains("format")) add(path, "format", around("yesterday"));
  }

  void visit_number(const json::object& schema, const std::string& path, const Around& around) {
    add(path, "type", around("x"));
    if (schema.contains("minimum")) add(path, "minimum", around(number_of(schema, "minimum", 0) - 1));
    if (schema.contains("maximum")) add(path, "maximum", around(number_of(schema, "maximum", 0) + 1));
  }

  void visit_list(const json::object& schema, const std::string& path, const Around& around) {
    const auto& items = schema.at("items").as_object();
    add(path, "type", around("x"));
    if (number_of(schema, "minItems", 0) > 0) add(path, "minItems", around(json::array()));
    const auto most = number_of(schema, "maxItems", kLongestList);
    if (most < kLongestList) add(path, "maxItems", around(many_items(schema, most + 1)));
    if (schema.contains("x-kubernetes-list-map-keys"))
      add(path, "duplicate", around(json::array{least(items), least(items)}));
    visit(items, path + "[]", [&around](json::value item) { return around(json::array{std::move(item)}); });
  }

  void visit_object(const json::object& schema, const std::string& path, const Around& around) {
    add(path, "type", around("x"));
    const auto properties = properties_of(schema);
    if (schema.contains("minProperties")) add(path, "minProperties", around(nothing_in(properties)));
    for (const auto& [name, inner] : properties) {
      const auto with = [&](json::value value) {
        json::object parent = least(schema).as_object();
        parent[name] = std::move(value);
        return around(std::move(parent));
      };
      const std::string below = path + "." + std::string(name);
      if (is_required(schema, name)) add(below, "required", with(nullptr));
      visit(inner.as_object(), below, with);
    }
  }

  // A merge patch that leaves nothing of an object.
  static json::object nothing_in(const json::object& properties) {
    json::object patch;
    for (const auto& [name, inner] : properties) patch[name] = nullptr;
    return patch;
  }
};

const json::object& schema_of(const json::value& crd, std::string_view version) {
  for (const json::value& one : crd.at("spec").at("versions").as_array())
    if (one.at("name").as_string() == version) return one.at("schema").at("openAPIV3Schema").as_object();
  throw std::runtime_error("no such version");
}

}  // namespace

std::vector<SchemaFault> schema_faults(const json::value& crd, std::string_view version,
                                       std::string_view part) {
  const auto properties = properties_of(schema_of(crd, version));
  const auto* schema = properties.if_contains(part);
  if (schema == nullptr) return {};
  Walk walk;
  walk.visit(schema->as_object(), std::string(part),
             [&](json::value value) { return json::value(json::object{{part, std::move(value)}}); });
  return walk.faults;
}

json::value merged(json::value target, const json::value& patch) {
  if (!patch.is_object()) return patch;
  if (!target.is_object()) target = json::object();
  json::object& object = target.as_object();
  for (const auto& [name, value] : patch.as_object()) {
    if (value.is_null())
      object.erase(name);
    else
      object[name] = merged(object[name], value);
  }
  return target;
}

}  // namespace capstan::envtest
