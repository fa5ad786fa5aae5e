#include "apiserver/fields/typed_value.h"

#include <algorithm>
#include <map>

#include "apiserver/document/document.h"

namespace capstan::apiserver {
namespace {

// The items of a list by their element; items without a readable key stand under their index.
struct Item {
  std::string element = {};
  const json::value* value = nullptr;
};

std::vector<Item> items_of(const json::value* list, const TypedNode& node) {
  std::vector<Item> items;
  const auto* array = list == nullptr ? nullptr : list->if_array();
  if (array == nullptr) return items;
  for (std::size_t i = 0; i < array->size(); ++i) {
    std::string error;
    auto element = node.element_of((*array)[i], error);
    items.push_back(
        {.element = element ? std::move(*element) : "i:" + std::to_string(i), .value = &(*array)[i]});
  }
  return items;
}

const json::value* item_at(const std::vector<Item>& items, const std::string& element) {
  const auto found = std::ranges::find(items, element, &Item::element);
  return found == items.end() ? nullptr : found->value;
}

bool is_hollow(const json::value* value) {
  if (value == nullptr || value->is_null()) return true;
  if (const auto* object = value->if_object()) return object->empty();
  if (const auto* array = value->if_array()) return array->empty();
  return false;
}

void collect_fields(const json::value& value, const TypedNode& node, FieldPath& path, FieldSet& set) {
  switch (node.kind(value)) {
    case MergeKind::Leaf: set.insert(path); return;
    case MergeKind::Items:
      for (const auto& item : items_of(&value, node)) {
        path.push_back(item.element);
        collect_fields(*item.value, node.item(), path, set);
        set.insert(path);
        path.pop_back();
      }
      return;
    case MergeKind::Fields: break;
  }
  const auto* object = value.if_object();
  if (object == nullptr) return;
  for (const auto& field : *object) {
    path.push_back(field_element(field.key()));
    collect_fields(field.value(), node.field(field.key()), path, set);
    const bool hollow =
        field.value().is_null() || (field.value().is_object() && field.value().get_object().empty());
    if (hollow || !node.names(field.key())) set.insert(path);
    path.pop_back();
  }
}

class Comparer {
 public:
  Comparison result = {};

  void compare_objects(const json::object& before, const json::object& after, const TypedNode& node) {
    for (const auto& field : after)
      step(field_element(field.key()), before.if_contains(field.key()), &field.value(),
           node.field(field.key()));
    for (const auto& field : before) {
      if (!after.contains(field.key()))
        step(field_element(field.key()), &field.value(), nullptr, node.field(field.key()));
    }
  }

 private:
  void compare(const json::value* before, const json::value* after, const TypedNode& node) {
    if (before != nullptr && after != nullptr && *before == *after) return;
    const auto kind = node.kind(after != nullptr ? *after : *before);
    const bool hollow = is_hollow(before) && is_hollow(after);
    if (kind == MergeKind::Leaf || hollow || (before != nullptr && node.kind(*before) != kind))
      return leaf(before, after);
    if (kind == MergeKind::Fields) fields(before, after, node);
    if (kind == MergeKind::Items) items(before, after, node);
    if (before == nullptr) result.added.insert(path_);
    if (after == nullptr) result.removed.insert(path_);
  }

  void leaf(const json::value* before, const json::value* after) {
    if (before == nullptr)
      result.added.insert(path_);
    else if (after == nullptr)
      result.removed.insert(path_);
    else if (*before != *after)
      result.modified.insert(path_);
  }

  void fields(const json::value* before, const json::value* after, const TypedNode& node) {
    static const json::object kNone;
    compare_objects(before == nullptr || !before->is_object() ? kNone : before->get_object(),
                    after == nullptr || !after->is_object() ? kNone : after->get_object(), node);
  }

  void items(const json::value* before, const json::value* after, const TypedNode& node) {
    const auto old = items_of(before, node);
    const auto now = items_of(after, node);
    for (const auto& item : now) step(item.element, item_at(old, item.element), item.value, node.item());
    for (const auto& item : old) {
      if (item_at(now, item.element) == nullptr) step(item.element, item.value, nullptr, node.item());
    }
  }

  void step(std::string element, const json::value* before, const json::value* after, const TypedNode& node) {
    path_.push_back(std::move(element));
    compare(before, after, node);
    path_.pop_back();
  }

  FieldPath path_ = {};
};

}  // namespace

FieldSet fields_of(const json::object& object, const Schema& schema) {
  FieldSet set;
  FieldPath path;
  collect_fields(json::value(object), TypedNode::root(schema), path, set);
  return set;
}

Comparison compare(const json::object& before, const json::object& after, const Schema& schema) {
  Comparer comparer;
  comparer.compare_objects(before, after, TypedNode::root(schema));
  return std::move(comparer.result);
}

namespace {

FieldSet named_parents(const FieldSet& set, const std::optional<TypedNode>& node) {
  FieldSet result{.members = set.members};
  for (const auto& [element, child] : set.children) {
    std::optional<TypedNode> below;
    const auto name = std::string_view(element).substr(2);
    if (node && element.starts_with("f:")) {
      if (node->names(name)) result.members.insert(element);
      below = node->field(name);
    } else if (node) {
      below = node->item();
    }
    result.children.emplace(element, named_parents(child, below));
  }
  return result;
}

std::optional<json::value> remaining(const json::value& value, const FieldSet& fields,
                                     const TypedNode& node) {
  const auto kind = node.kind(value);
  if (kind == MergeKind::Leaf) {
    // What is merged as a whole goes as a whole; a scalar has nothing inside that could go.
    return value.is_object() || value.is_array() ? std::nullopt : std::optional(value);
  }
  if (kind == MergeKind::Items) {
    json::array kept;
    for (const auto& item : items_of(&value, node)) {
      if (fields.members.contains(item.element)) continue;
      const auto* below = fields.child(item.element);
      if (below == nullptr)
        kept.push_back(*item.value);
      else if (auto rest = remaining(*item.value, *below, node.item()))
        kept.push_back(std::move(*rest));
    }
    if (kept.empty()) return {};
    return kept;
  }
  const auto* object = value.if_object();
  if (object == nullptr) return value;
  json::object kept;
  for (const auto& field : *object) {
    const auto element = field_element(field.key());
    if (fields.members.contains(element)) continue;
    const auto* below = fields.child(element);
    if (below == nullptr)
      kept.emplace(field.key(), field.value());
    else if (auto rest = remaining(field.value(), *below, node.field(field.key())))
      kept.emplace(field.key(), std::move(*rest));
  }
  if (kept.empty()) return {};
  return kept;
}

}  // namespace

FieldSet with_named_parents(const FieldSet& set, const Schema& schema) {
  return named_parents(set, TypedNode::root(schema));
}

json::object without_fields(const json::object& object, const FieldSet& fields, const Schema& schema) {
  auto rest = remaining(json::value(object), fields, TypedNode::root(schema));
  return rest ? std::move(rest->get_object()) : json::object();
}

}  // namespace capstan::apiserver
