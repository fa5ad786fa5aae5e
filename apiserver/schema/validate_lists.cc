#include <algorithm>
#include <set>

#include "apiserver/document/document.h"
#include "apiserver/schema/validate.h"

namespace capstan::apiserver {
namespace {

// The keys of a list-map item, defaults filled in.
json::object keys_of(const json::object& object, const Schema& schema) {
  json::object keys;
  auto names = schema.list_keys;
  std::ranges::sort(names);
  for (const auto& key : names) {
    if (const auto* value = object.if_contains(key)) {
      keys[key] = *value;
    } else if (const auto* field = schema.items ? schema.items->field(key) : nullptr;
               field && field->default_value) {
      keys[key] = *field->default_value;
    }
  }
  return keys;
}

void check(const json::value& value, const Schema& schema, const std::string& path, FieldErrors& errors) {
  if (const auto* object = value.if_object()) {
    for (const auto& field : *object) {
      if (const auto* known = schema.field(field.key()))
        check(field.value(), *known, child(path, field.key()), errors);
    }
    return;
  }
  const auto* array = value.if_array();
  if (array == nullptr || !schema.items) return;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < array->size(); ++i) {
    const auto& one = (*array)[i];
    const auto here = item(path, i);
    json::value identity;
    if (schema.list_type == ListType::Set) identity = one;
    if (schema.list_type == ListType::Map && one.is_object()) identity = keys_of(one.get_object(), schema);
    if (!identity.is_null() && !seen.insert(json::serialize(identity)).second) {
      errors.push_back(duplicate_value(here, identity));
    }
    check(one, *schema.items, here, errors);
  }
}

}  // namespace

FieldErrors list_errors(const json::object& resource, const Schema& schema) {
  FieldErrors errors;
  for (const auto& field : resource) {
    const auto* known = schema.field(field.key());
    if (known != nullptr && field.key() != "metadata") {
      check(field.value(), *known, std::string(field.key()), errors);
    }
  }
  return errors;
}

}  // namespace capstan::apiserver
