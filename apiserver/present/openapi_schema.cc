#include "apiserver/present/openapi_schema.h"

#include <fmt/format.h>

#include "apiserver/builtin/builtin.h"
#include "apiserver/document/document.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
constexpr const char* kApiVersionDoc = "the group and version of this object's schema";
constexpr const char* kKindDoc = "what this object is, in CamelCase";

std::string meta(std::string_view name) { return std::string(kMeta) + std::string(name); }

json::object text_schema(std::string_view description) {
  return {{"description", description}, {"type", "string"}};
}

// Types that are a component of their own although our tables write them as formats of a value; empty for
// others.
std::string_view named_format(const Schema& schema) {
  if (schema.int_or_string) return "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
  if (schema.type != Type::String) return {};
  if (schema.format == "date-time") return "io.k8s.apimachinery.pkg.apis.meta.v1.Time";
  if (schema.format == "date-time-micro") return "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime";
  if (schema.format == "quantity") return "io.k8s.apimachinery.pkg.api.resource.Quantity";
  return {};
}

json::object named_format_schema(std::string_view name) {
  if (name.ends_with("IntOrString")) {
    return {{"format", "int-or-string"},
            {"oneOf", json::array{json::object{{"type", "integer"}}, json::object{{"type", "string"}}}}};
  }
  if (name.ends_with("Quantity")) {
    return {{"oneOf", json::array{json::object{{"type", "string"}}, json::object{{"type", "number"}}}}};
  }
  return {{"type", "string"}, {"format", "date-time"}};
}

void say_list(const Schema& schema, json::object& said) {
  if (schema.list_type == ListType::Atomic && !schema.patch_merge) said["x-kubernetes-list-type"] = "atomic";
  if (schema.list_type == ListType::Set) said["x-kubernetes-list-type"] = "set";
  if (schema.list_type == ListType::Map) {
    said["x-kubernetes-list-map-keys"] = json::array(schema.list_keys.begin(), schema.list_keys.end());
    said["x-kubernetes-list-type"] = "map";
  }
  if (!schema.patch_merge) return;
  if (!schema.patch_merge_key.empty()) said["x-kubernetes-patch-merge-key"] = schema.patch_merge_key;
  said["x-kubernetes-patch-strategy"] = schema.patch_retain_keys ? "merge,retainKeys" : "merge";
}

std::string reversed(std::string_view dotted) {
  std::string result;
  while (!dotted.empty()) {
    const auto dot = dotted.rfind('.');
    const auto last = dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
    result += result.empty() ? "" : ".";
    result += last;
    dotted = dot == std::string_view::npos ? std::string_view() : dotted.substr(0, dot);
  }
  return result;
}

}  // namespace

json::object schema_reference(std::string_view name) {
  return {{"$ref", "#/components/schemas/" + std::string(name)}};
}

std::string component_name(const ResourceType& type, const ServedVersion& version) {
  if (!version.schema->type_name.empty()) return version.schema->type_name;
  if (type.custom) return fmt::format("{}.{}.{}", reversed(type.group), version.name, type.kind);
  const auto package = type.group.empty() ? "core" : type.group.substr(0, type.group.find('.'));
  return fmt::format("io.k8s.api.{}.{}.{}", package, version.name, type.kind);
}

std::string OpenApiComponents::add_kind(const ResourceType& type, const ServedVersion& version) {
  const auto name = component_name(type, version);
  json::object schema;
  if (version.schema->source && version.schema->source->is_object()) {
    schema = version.schema->source->get_object();
  } else if (version.schema->type_name.empty()) {
    schema = {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  } else {
    schema = builtin_type(*version.schema);
  }
  refer_to_metadata(schema);
  say_kind(schema, type.group, version.name, type.kind);
  if (type.custom && !version.selectable_fields.empty()) {
    json::array fields;
    for (const auto& field : version.selectable_fields) {
      fields.push_back(
          json::object{{"fieldPath", std::string_view(field).substr(field.starts_with('.') ? 1 : 0)}});
    }
    schema["x-kubernetes-selectable-fields"] = std::move(fields);
  }
  schemas_[name] = std::move(schema);
  if (type.allows("list")) add_list(type, version.name, name);
  return name;
}

std::string OpenApiComponents::add_body(std::string_view group, std::string_view version,
                                        std::string_view kind) {
  const auto package = group.empty() ? "core" : std::string(group.substr(0, group.find('.')));
  const auto name = fmt::format("io.k8s.api.{}.{}.{}", package, version, kind);
  if (schemas_.contains(name)) return name;
  const auto& known = builtin_types();
  const auto found = known.find(name);
  auto schema = found == known.end() ? json::object{{"type", "object"}} : builtin_type(*found->second);
  refer_to_metadata(schema);
  say_kind(schema, group, version, kind);
  schemas_[name] = std::move(schema);
  return name;
}

void OpenApiComponents::add_machinery() {
  schemas_[kPatchComponent] = json::object{
      {"description", "the body of a PATCH, of the form its content type says"}, {"type", "object"}};
  auto options = builtin_type(*apiserver::builtin_type(std::string(kDeleteOptionsComponent)));
  say_kind(options, "", "v1", "DeleteOptions");
  schemas_[kDeleteOptionsComponent] = std::move(options);
  json::object status{
      {"description", "the outcome of a request that returns no object"},
      {"type", "object"},
      {"properties", json::object{{"code", json::object{{"type", "integer"}, {"format", "int32"}}},
                                  {"details", json::object{{"type", "object"}}},
                                  {"message", text_schema("what happened, for people")},
                                  {"metadata", reference(meta("ListMeta"))},
                                  {"reason", text_schema("what happened, as one word for programs")},
                                  {"status", text_schema("Success or Failure")}}}};
  say_kind(status, "", "v1", "Status");
  schemas_[kStatusComponent] = std::move(status);
}

void OpenApiComponents::add_builtin(const Schema& schema) {
  if (schemas_.contains(schema.type_name)) return;
  schemas_[schema.type_name] = nullptr;  // types may contain themselves
  schemas_[schema.type_name] = builtin_type(schema);
}

json::object OpenApiComponents::builtin_type(const Schema& schema) {
  json::object said;
  if (!schema.description.empty()) said["description"] = schema.description;
  said["type"] = "object";
  if (!schema.required.empty())
    said["required"] = json::array(schema.required.begin(), schema.required.end());
  json::object properties;
  for (const auto& [name, field] : schema.properties) properties[name] = builtin_value(*field);
  if (!properties.empty()) said["properties"] = std::move(properties);
  if (schema.map_type == MapType::Atomic) said["x-kubernetes-map-type"] = "atomic";
  return said;
}

json::object OpenApiComponents::builtin_value(const Schema& schema) {
  json::object said;
  if (!schema.description.empty()) said["description"] = schema.description;
  if (const auto name = named_format(schema); !name.empty()) {
    if (!schemas_.contains(name)) schemas_[name] = named_format_schema(name);
    said["allOf"] = json::array{schema_reference(name)};
  } else if (!schema.type_name.empty()) {
    add_builtin(schema);
    said["allOf"] = json::array{schema_reference(schema.type_name)};
    if (schema.patch_retain_keys) said["x-kubernetes-patch-strategy"] = "retainKeys";
  } else {
    said["type"] = schema.type == Type::Any ? "object" : to_string(schema.type);
    if (!schema.format.empty()) said["format"] = schema.format;
    if (schema.type == Type::Any) said["x-kubernetes-preserve-unknown-fields"] = true;
    if (schema.items) said["items"] = builtin_value(*schema.items);
    if (schema.additional) said["additionalProperties"] = builtin_value(*schema.additional);
    if (schema.type == Type::Array) say_list(schema, said);
    if (schema.map_type == MapType::Atomic) said["x-kubernetes-map-type"] = "atomic";
  }
  if (schema.default_value) said["default"] = *schema.default_value;
  if (!schema.enumeration.empty())
    said["enum"] = json::array(schema.enumeration.begin(), schema.enumeration.end());
  return said;
}

// A component of the machinery, added when it is first referred to.
json::object OpenApiComponents::reference(const std::string& name) {
  if (!schemas_.contains(name)) {
    if (name == meta("ListMeta")) {
      schemas_[name] = json::object{
          {"description", "what a list says about itself"},
          {"type", "object"},
          {"properties",
           json::object{
               {"continue", text_schema("the token that asks for the next page")},
               {"remainingItemCount", json::object{{"type", "integer"}, {"format", "int64"}}},
               {"resourceVersion", text_schema("the version of the collection, for watches that follow")},
               {"selfLink", text_schema("not used any more")}}}};
    } else {
      add_builtin(*apiserver::builtin_type(name));
    }
  }
  return schema_reference(name);
}

void OpenApiComponents::say_kind(json::object& schema, std::string_view group, std::string_view version,
                                 std::string_view kind) {
  auto& properties = object_in(schema, "properties");
  properties["apiVersion"] = text_schema(kApiVersionDoc);
  properties["kind"] = text_schema(kKindDoc);
  schema["x-kubernetes-group-version-kind"] =
      json::array{json::object{{"group", group}, {"kind", kind}, {"version", version}}};
}

void OpenApiComponents::refer_to_metadata(json::object& schema) {
  object_in(schema, "properties")["metadata"] =
      json::object{{"description", "name, labels, owners and the like; the same for every kind"},
                   {"allOf", json::array{reference(meta("ObjectMeta"))}}};
}

void OpenApiComponents::add_list(const ResourceType& type, std::string_view version,
                                 const std::string& element) {
  json::object list{
      {"description", type.list_kind + " is a list of " + type.kind},
      {"type", "object"},
      {"required", json::array{"items"}},
      {"properties",
       json::object{{"items", json::object{{"description", "the " + type.plural + " found"},
                                           {"type", "array"},
                                           {"items", schema_reference(element)}}},
                    {"metadata", json::object{{"description", "the list's version and next page"},
                                              {"allOf", json::array{reference(meta("ListMeta"))}}}}}}};
  say_kind(list, type.group, version, type.list_kind);
  schemas_[element.substr(0, element.size() - type.kind.size()) + type.list_kind] = std::move(list);
}

}  // namespace capstan::apiserver
