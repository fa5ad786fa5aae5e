#include "api/schema/openapi.h"

#include <boost/json.hpp>
#include <cassert>

#include "api/meta/object_meta.h"
#include "api/schema/lists_in_text.h"
#include "api/schema/resource.h"

namespace capstan::api::detail {
namespace {

namespace json = boost::json;

constexpr std::string_view kApiVersionDoc =
    "Group and version this object is written in. The server converts it to the version it stores and "
    "refuses those it does "
    "not know.";
constexpr std::string_view kKindDoc =
    "Name of the kind in CamelCase. It follows from the path of a request and never changes.";

json::object schema_of(const TypeInfo& type);

json::string text(std::string_view view) { return json::string(view); }

void put_number(json::object& schema, std::string_view key, const std::optional<std::int64_t>& number) {
  if (number) schema[key] = *number;
}

void put_text(json::object& schema, std::string_view key, std::string_view value) {
  if (!value.empty()) schema[key] = text(value);
}

json::array strings(std::string_view list) {
  json::array out;
  for (const std::string_view part : parts_of(list)) out.push_back(text(part));
  return out;
}

void put_cel(json::object& schema, std::span<const CelRule> rules) {
  if (rules.empty()) return;
  json::array out;
  for (const CelRule& rule : rules) {
    json::object row{{"rule", text(rule.rule)}};
    put_text(row, "message", rule.message);
    put_text(row, "reason", rule.reason);
    put_text(row, "fieldPath", rule.field_path);
    out.push_back(std::move(row));
  }
  schema["x-kubernetes-validations"] = std::move(out);
}

// Rules and ItemRules share these.
void put_scalar_rules(json::object& schema, const auto& rules) {
  put_number(schema, "minimum", rules.minimum);
  put_number(schema, "maximum", rules.maximum);
  put_number(schema, "minLength", rules.min_length);
  put_number(schema, "maxLength", rules.max_length);
  put_text(schema, "pattern", rules.pattern);
  put_text(schema, "format", rules.format);
  if (!rules.one_of.empty()) schema["enum"] = strings(rules.one_of);
}

void put_list_rules(json::object& schema, const Rules& rules) {
  if (!rules.list_keys.empty()) {
    schema["x-kubernetes-list-map-keys"] = strings(rules.list_keys);
    schema["x-kubernetes-list-type"] = "map";
    return;
  }
  switch (rules.list) {
    case ListType::Unset: break;
    case ListType::Atomic: schema["x-kubernetes-list-type"] = "atomic"; break;
    case ListType::Set: schema["x-kubernetes-list-type"] = "set"; break;
    case ListType::Map: assert(false && "a list map needs its keys"); break;
  }
}

void put_rules(json::object& schema, const Rules& rules) {
  put_text(schema, "description", rules.doc);
  put_scalar_rules(schema, rules);
  put_number(schema, "minItems", rules.min_items);
  put_number(schema, "maxItems", rules.max_items);
  put_number(schema, "minProperties", rules.min_properties);
  put_number(schema, "maxProperties", rules.max_properties);
  put_list_rules(schema, rules);
  if (rules.map_atomic) schema["x-kubernetes-map-type"] = "atomic";
  if (rules.nullable) schema["nullable"] = true;
  if (rules.preserve_unknown) schema["x-kubernetes-preserve-unknown-fields"] = true;
  if (!rules.default_json.empty()) schema["default"] = json::parse(rules.default_json);
  put_cel(schema, rules.cel);
}

json::object typed(std::string_view type, std::string_view format = {}) {
  json::object schema{{"type", text(type)}};
  put_text(schema, "format", format);
  return schema;
}

bool is_object_meta(const TypeInfo& type) {
  return type.shape == Shape::Object && type.members.data() == members<ObjectMeta>.data();
}

json::object field_of(const Member& member) {
  const TypeInfo& type = member.type->shape == Shape::Holder ? *member.type->element : *member.type;
  if (is_object_meta(type)) return typed("object");  // the server knows its schema
  json::object schema = schema_of(type);
  if (const auto items = schema.find("items"); items != schema.end()) {
    put_scalar_rules(items->value().as_object(), member.rules.items);
  }
  if (type.shape == Shape::TextMap)
    put_scalar_rules(schema["additionalProperties"].as_object(), member.rules.items);
  if (type.shape == Shape::RawJson && member.rules.preserve_unknown) schema["type"] = "object";
  put_rules(schema, member.rules);
  return schema;
}

void put_object_rules(json::object& schema, const ObjectRules& rules) {
  put_number(schema, "minProperties", rules.min_properties);
  put_number(schema, "maxProperties", rules.max_properties);
  if (rules.map_atomic) schema["x-kubernetes-map-type"] = "atomic";
  if (rules.preserve_unknown) schema["x-kubernetes-preserve-unknown-fields"] = true;
  put_cel(schema, rules.cel);
}

json::object object_of(const TypeInfo& type) {
  json::object schema = typed("object");
  json::object properties;
  json::array required;
  for (const Member& member : type.members) {
    properties[member.name] = field_of(member);
    if (member.rules.required) required.push_back(text(member.name));
  }
  if (type.resource != nullptr) {
    properties["apiVersion"] = {{"type", "string"}, {"description", text(kApiVersionDoc)}};
    properties["kind"] = {{"type", "string"}, {"description", text(kKindDoc)}};
    put_text(schema, "description", type.resource->doc);
    put_cel(schema, type.resource->cel);
  }
  std::sort(required.begin(), required.end(), [](const json::value& left, const json::value& right) {
    return left.get_string() < right.get_string();
  });
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  put_object_rules(schema, *type.rules);
  return schema;
}

json::object int_or_string() {
  return {{"anyOf", json::array{typed("integer"), typed("string")}}, {"x-kubernetes-int-or-string", true}};
}

json::object schema_of(const TypeInfo& type) {
  switch (type.shape) {
    case Shape::Boolean: return typed("boolean");
    case Shape::Int32: return typed("integer", "int32");
    case Shape::Int64: return typed("integer", "int64");
    case Shape::Text:
    case Shape::FreeText:
    case Shape::Uid:
    case Shape::ResourceVersion: return typed("string");
    case Shape::Time: return typed("string", "date-time");
    case Shape::MicroTime: return typed("string", "date-time");
    case Shape::IntOrString: return int_or_string();
    case Shape::RawJson: return {{"x-kubernetes-preserve-unknown-fields", true}};
    case Shape::TextMap: return {{"type", "object"}, {"additionalProperties", typed("string")}};
    case Shape::ManagedFields: return typed("array");
    case Shape::Object: return object_of(type);
    case Shape::List: return {{"type", "array"}, {"items", schema_of(*type.element)}};
    case Shape::Holder: return schema_of(*type.element);
  }
  return {};
}

}  // namespace

json::value openapi(const TypeInfo& type) { return schema_of(type); }

}  // namespace capstan::api::detail
