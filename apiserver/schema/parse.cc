#include "apiserver/schema/parse.h"

#include "apiserver/document/document.h"
#include "apiserver/schema/pattern.h"

namespace capstan::apiserver {
namespace {

Type type_named(std::string_view name) {
  for (const auto type :
       {Type::Object, Type::Array, Type::String, Type::Integer, Type::Number, Type::Boolean}) {
    if (to_string(type) == name) return type;
  }
  return Type::Any;
}

std::optional<double> number_at(const json::object& from, std::string_view name) {
  const auto* value = from.if_contains(name);
  if (value == nullptr || !value->is_number()) return {};
  return value->to_number<double>();
}

std::vector<std::string> texts(const json::array* from) {
  std::vector<std::string> all;
  if (from == nullptr) return all;
  for (const auto& one : *from) all.emplace_back(text_of(one));
  return all;
}

std::shared_ptr<Schema> parse(const json::object& from);

std::vector<SchemaPtr> parse_all(const json::array* from) {
  std::vector<SchemaPtr> all;
  if (from == nullptr) return all;
  for (const auto& one : *from) {
    if (one.is_object()) all.push_back(parse(one.get_object()));
  }
  return all;
}

void parse_limits(const json::object& from, Schema& schema) {
  schema.minimum = number_at(from, "minimum");
  schema.maximum = number_at(from, "maximum");
  schema.exclusive_minimum = flag_at(from, {"exclusiveMinimum"});
  schema.exclusive_maximum = flag_at(from, {"exclusiveMaximum"});
  schema.multiple_of = number_at(from, "multipleOf");
  schema.min_length = integer_at(from, {"minLength"});
  schema.max_length = integer_at(from, {"maxLength"});
  schema.pattern = text_at(from, {"pattern"});
  if (!schema.pattern.empty()) schema.compiled_pattern = Pattern::compile(schema.pattern);
  schema.min_items = integer_at(from, {"minItems"});
  schema.max_items = integer_at(from, {"maxItems"});
  schema.unique_items = flag_at(from, {"uniqueItems"});
  schema.min_properties = integer_at(from, {"minProperties"});
  schema.max_properties = integer_at(from, {"maxProperties"});
  if (const auto* values = array_at(from, {"enum"}))
    schema.enumeration.assign(values->begin(), values->end());
  schema.all_of = parse_all(array_at(from, {"allOf"}));
  schema.any_of = parse_all(array_at(from, {"anyOf"}));
  schema.one_of = parse_all(array_at(from, {"oneOf"}));
  if (const auto* negated = object_at(from, {"not"})) schema.not_ = parse(*negated);
}

void parse_extensions(const json::object& from, Schema& schema) {
  schema.preserve_unknown = flag_at(from, {"x-kubernetes-preserve-unknown-fields"});
  schema.embedded_resource = flag_at(from, {"x-kubernetes-embedded-resource"});
  schema.int_or_string = flag_at(from, {"x-kubernetes-int-or-string"});
  const auto list_type = text_at(from, {"x-kubernetes-list-type"});
  if (list_type == "set") schema.list_type = ListType::Set;
  if (list_type == "map") schema.list_type = ListType::Map;
  schema.list_keys = texts(array_at(from, {"x-kubernetes-list-map-keys"}));
  if (text_at(from, {"x-kubernetes-map-type"}) == "atomic") schema.map_type = MapType::Atomic;
}

std::shared_ptr<Schema> parse(const json::object& from) {
  auto schema = std::make_shared<Schema>();
  schema->type = type_named(text_at(from, {"type"}));
  schema->title = text_at(from, {"title"});
  schema->description = text_at(from, {"description"});
  schema->format = text_at(from, {"format"});
  schema->nullable = flag_at(from, {"nullable"});
  schema->required = texts(array_at(from, {"required"}));
  if (const auto* value = from.if_contains("default")) schema->default_value = *value;
  if (const auto* properties = object_at(from, {"properties"})) {
    for (const auto& property : *properties) {
      if (property.value().is_object())
        schema->properties[property.key()] = parse(property.value().get_object());
    }
  }
  if (const auto* additional = from.if_contains("additionalProperties")) {
    if (additional->is_object()) {
      schema->additional = parse(additional->get_object());
    } else if (additional->is_bool() && additional->get_bool()) {
      auto anything = std::make_shared<Schema>();
      anything->preserve_unknown = true;
      schema->additional = std::move(anything);
    }
  }
  if (const auto* items = object_at(from, {"items"})) schema->items = parse(*items);
  parse_limits(from, *schema);
  parse_extensions(from, *schema);
  return schema;
}

}  // namespace

SchemaPtr parse_schema(const json::value* source) {
  std::shared_ptr<Schema> schema;
  if (source != nullptr && source->is_object()) {
    schema = parse(source->get_object());
    schema->source = std::make_shared<const json::value>(*source);
  } else {
    schema = std::make_shared<Schema>();
    schema->preserve_unknown = true;
  }
  return schema;
}

}  // namespace capstan::apiserver
