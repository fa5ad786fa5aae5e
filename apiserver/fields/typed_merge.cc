#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "apiserver/document/document.h"
#include "apiserver/fields/typed_value.h"
#include "apiserver/schema/value_type.h"

namespace capstan::apiserver {
namespace {

struct Item {
  std::string element = {};
  const json::value* value = nullptr;
};

std::vector<Item> items_of(const json::value& list, const TypedNode& node) {
  std::vector<Item> items;
  const auto* array = list.if_array();
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
    std::string error;
    auto element = node.element_of((*array)[i], error);
    items.push_back(
        {.element = element ? std::move(*element) : "i:" + std::to_string(i), .value = &(*array)[i]});
  }
  return items;
}

json::value merged(const json::value& live, const json::value& applied, const TypedNode& node);

// The order of the applied list; what only the live list has stays between the shared items it stood between.
json::array merged_items(const json::value& live, const json::value& applied, const TypedNode& node) {
  const auto old = items_of(live, node);
  const auto now = items_of(applied, node);
  const auto in = [](const std::vector<Item>& items, const std::string& element) {
    return std::ranges::find(items, element, &Item::element);
  };
  json::array out;
  std::size_t next = 0;
  const auto take_applied_one = [&] {
    const auto& item = now[next++];
    const auto match = in(old, item.element);
    out.push_back(match == old.end() ? *item.value : merged(*match->value, *item.value, node.item()));
  };
  const auto next_shared = [&] {
    return std::find_if(now.begin() + static_cast<std::ptrdiff_t>(next), now.end(),
                        [&](const Item& item) { return in(old, item.element) != old.end(); });
  };
  for (const auto& item : old) {
    if (in(now, item.element) == now.end()) {
      out.push_back(*item.value);
      continue;
    }
    const auto shared = next_shared();
    if (shared == now.end() || shared->element != item.element)
      continue;  // comes where the applied list has it
    const auto position = static_cast<std::size_t>(shared - now.begin());
    while (next <= position) take_applied_one();
  }
  while (next < now.size()) take_applied_one();
  return out;
}

json::value merged(const json::value& live, const json::value& applied, const TypedNode& node) {
  const auto kind = node.kind(applied);
  if (kind == MergeKind::Leaf || node.kind(live) != kind) return applied;
  if (kind == MergeKind::Items) {
    if (!live.is_array() || !applied.is_array()) return applied;
    return merged_items(live, applied, node);
  }
  if (!live.is_object() || !applied.is_object()) return applied;
  json::object out = live.get_object();
  for (const auto& field : applied.get_object()) {
    auto* slot = out.if_contains(field.key());
    if (slot == nullptr)
      out.emplace(field.key(), field.value());
    else
      *slot = merged(*slot, field.value(), node.field(field.key()));
  }
  return out;
}

std::string_view expectation(const Schema& schema) {
  switch (schema.type) {
    case Type::Integer:
    case Type::Number: return "numeric (int or float)";
    case Type::String: return "string";
    case Type::Boolean: return "boolean";
    case Type::Object: return "map";
    case Type::Array: return "list";
    case Type::Any: return "";
  }
  return "";
}

std::string shown_kind(const json::value& value) {
  if (value.is_int64() || value.is_uint64()) return "int";
  if (value.is_double()) return "float";
  if (value.is_bool()) return "boolean";
  if (value.is_string()) return "string";
  return value.is_object() ? "map" : "list";
}

std::optional<std::string> wrong_type(const json::value& value, const TypedNode& node,
                                      const std::string& path) {
  const auto* schema = node.schema();
  if (schema == nullptr || value.is_null() || schema->int_or_string || schema->type == Type::Any ||
      node.resource() || fits(value, *schema)) {
    return {};
  }
  if (schema->type == Type::String && schema->format == "quantity" && value.is_number()) return {};
  return fmt::format("{}: expected {}, got {}", path, expectation(*schema), shown_kind(value));
}

std::optional<std::string> obstacle(const json::value& value, const TypedNode& node,
                                    const std::string& path) {
  if (auto wrong = wrong_type(value, node, path)) return wrong;
  if (const auto* object = value.if_object()) {
    for (const auto& field : *object) {
      const auto below = fmt::format("{}.{}", path, std::string_view(field.key()));
      if (!node.allows(field.key())) return below + ": field not declared in schema";
      if (auto found = obstacle(field.value(), node.field(field.key()), below)) return found;
    }
    return {};
  }
  const auto* array = value.if_array();
  const bool items = array != nullptr && node.kind(value) == MergeKind::Items;
  std::set<std::string> seen;
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
    std::string element_path = fmt::format("{}[{}]", path, i);
    if (items) {
      std::string error;
      const auto element = node.element_of((*array)[i], error);
      if (!element) return fmt::format("{}: element {}: {}", path, i, error);
      if (!seen.insert(*element).second)
        return fmt::format("{}: duplicate entries for key {}", path, path_text({*element}));
      element_path = path + path_text({*element});
    }
    if (auto found = obstacle((*array)[i], node.item(), element_path)) return found;
  }
  return {};
}

}  // namespace

json::object merge(const json::object& live, const json::object& applied, const Schema& schema) {
  return merged(json::value(live), json::value(applied), TypedNode::root(schema)).get_object();
}

std::optional<std::string> apply_obstacle(const json::object& applied, const Schema& schema) {
  return obstacle(json::value(applied), TypedNode::root(schema), "");
}

}  // namespace capstan::apiserver
