#include "apiserver/schema/prune.h"

#include <algorithm>

#include "apiserver/document/field_error.h"
#include "apiserver/schema/decode.h"

namespace capstan::apiserver {
namespace {

bool is_envelope(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

class Pruner {
 public:
  std::vector<std::string> unknown = {};

  void value(json::value& value, const Schema& schema, const std::string& path);
  void object(json::object& object, const Schema& schema, bool resource, const std::string& path);

 private:
  void metadata(json::object& resource, const std::string& path);
};

void Pruner::value(json::value& value, const Schema& schema, const std::string& path) {
  if (auto* fields = value.if_object()) {
    if (schema.embedded_resource) metadata(*fields, path);
    object(*fields, schema, schema.embedded_resource, path);
  } else if (auto* array = value.if_array(); array != nullptr && schema.items) {
    for (std::size_t i = 0; i < array->size(); ++i) this->value((*array)[i], *schema.items, item(path, i));
  }
}

void Pruner::object(json::object& object, const Schema& schema, bool resource, const std::string& path) {
  std::vector<std::string> names;
  for (const auto& field : object) names.emplace_back(field.key());
  std::ranges::sort(names);
  for (const auto& name : names) {
    if (resource && is_envelope(name)) continue;
    const auto* known = schema.field(name);
    if (known != nullptr) {
      value(object.at(name), *known, child(path, name));
    } else if (!schema.preserve_unknown) {
      unknown.push_back(child(path, name));
      object.erase(name);
    }
  }
}

// Metadata of an embedded object is that of any object.
void Pruner::metadata(json::object& resource, const std::string& path) {
  auto* metadata = resource.if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) return;
  const auto findings = decode_builtin(metadata->get_object(), object_meta_schema(), child(path, "metadata"));
  unknown.insert(unknown.end(), findings.unknown_fields.begin(), findings.unknown_fields.end());
}

}  // namespace

std::vector<std::string> prune_unknown(json::object& resource, const Schema& schema) {
  Pruner pruner;
  pruner.object(resource, schema, true, "");
  return std::move(pruner.unknown);
}

void drop_nulls(json::value& value, const Schema& schema) {
  if (auto* object = value.if_object()) {
    std::vector<std::string> nulls;
    for (auto& field : *object) {
      const auto* known = schema.field(field.key());
      if (known == nullptr) continue;
      if (field.value().is_null() && !known->nullable &&
          !(known->preserve_unknown && known->type == Type::Any)) {
        nulls.emplace_back(field.key());
      } else {
        drop_nulls(field.value(), *known);
      }
    }
    for (const auto& name : nulls) object->erase(name);
  } else if (auto* array = value.if_array(); array != nullptr && schema.items) {
    for (auto& one : *array) drop_nulls(one, *schema.items);
  }
}

void apply_defaults(json::value& value, const Schema& schema) {
  if (auto* object = value.if_object()) {
    for (const auto& [name, property] : schema.properties) {
      if (property->default_value && !object->contains(name)) object->emplace(name, *property->default_value);
    }
    for (auto& field : *object) {
      if (const auto* known = schema.field(field.key())) apply_defaults(field.value(), *known);
    }
  } else if (auto* array = value.if_array(); array != nullptr && schema.items) {
    for (auto& one : *array) apply_defaults(one, *schema.items);
  }
}

}  // namespace capstan::apiserver
