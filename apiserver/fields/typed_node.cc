#include "apiserver/fields/typed_node.h"

#include <fmt/format.h>

#include <algorithm>

#include "apiserver/document/field_error.h"
#include "apiserver/schema/decode.h"

namespace capstan::apiserver {
namespace {

const Schema& text_schema() {
  static const Schema schema{.type = Type::String};
  return schema;
}

bool is_envelope(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

}  // namespace

bool TypedNode::deduced() const {
  return schema_ == nullptr || (schema_->type == Type::Any && !schema_->int_or_string);
}

MergeKind TypedNode::kind(const json::value& value) const {
  if (resource_ && value.is_object()) return MergeKind::Fields;
  if (deduced()) return value.is_object() ? MergeKind::Fields : MergeKind::Leaf;
  if (schema_->type == Type::Object) {
    return schema_->map_type == MapType::Atomic || !(value.is_object() || value.is_null())
               ? MergeKind::Leaf
               : MergeKind::Fields;
  }
  if (schema_->type == Type::Array) {
    return schema_->list_type == ListType::Atomic || !(value.is_array() || value.is_null())
               ? MergeKind::Leaf
               : MergeKind::Items;
  }
  return MergeKind::Leaf;
}

bool TypedNode::names(std::string_view field) const {
  if (resource_ && is_envelope(field)) return true;
  return !deduced() && schema_->properties.contains(field);
}

bool TypedNode::allows(std::string_view field) const {
  return names(field) || deduced() || schema_->additional || schema_->preserve_unknown;
}

TypedNode TypedNode::field(std::string_view name) const {
  const bool known = !deduced() && schema_->properties.contains(name);
  // A definition may say no more of metadata than that it is an object; its fields are the server's all the
  // same.
  const bool bare = known && name == "metadata" && schema_->field(name)->properties.empty();
  if (resource_ && is_envelope(name) && (!known || bare)) {
    return name == "metadata" ? TypedNode(&object_meta_schema(), false) : TypedNode(&text_schema(), false);
  }
  if (deduced()) return TypedNode(nullptr, false);
  const auto* found = schema_->field(name);
  return TypedNode(found, found != nullptr && found->embedded_resource);
}

TypedNode TypedNode::item() const {
  const auto* items = deduced() ? nullptr : schema_->items.get();
  return TypedNode(items, items != nullptr && items->embedded_resource);
}

std::optional<std::string> TypedNode::element_of(const json::value& item, std::string& error) const {
  if (schema_->list_type == ListType::Set) return "v:" + json::serialize(item);
  const auto* object = item.if_object();
  if (object == nullptr) {
    error = "associative list with keys may not have non-map elements";
    return {};
  }
  auto names = schema_->list_keys;
  std::ranges::sort(names);
  json::object keys;
  for (const auto& name : names) {
    const auto* field = schema_->items ? schema_->items->field(name) : nullptr;
    if (const auto* value = object->if_contains(name)) {
      keys.emplace(name, *value);
    } else if (field != nullptr && field->default_value) {
      keys.emplace(name, *field->default_value);
    }
  }
  if (!keys.empty()) return "k:" + json::serialize(keys);
  std::vector<std::string> shown_names;
  for (const auto& name : schema_->list_keys) shown_names.push_back(quoted(name));
  error = fmt::format(
      "associative list with keys has an element that omits all key fields [{}] (and doesn't have default "
      "values for any key fields)",
      fmt::join(shown_names, " "));
  return {};
}

}  // namespace capstan::apiserver
