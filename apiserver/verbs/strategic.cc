#include "apiserver/verbs/strategic.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apiserver/document/document.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeletePrefix = "$deleteFromPrimitiveList/";
constexpr std::string_view kOrderPrefix = "$setElementOrder/";

using Patched = std::expected<json::value, std::string>;

Patched patched(const json::value* live, const json::value& patch, const Schema* schema);

std::string_view directive_of(const json::value& patch) {
  const auto* object = patch.if_object();
  return object == nullptr ? std::string_view() : text_at(*object, {kDirective});
}

bool is_control(std::string_view name) {
  return name == kDirective || name == kRetainKeys || name.starts_with(kDeletePrefix) ||
         name.starts_with(kOrderPrefix);
}

const json::value* key_of(const json::value& item, const std::string& key) {
  const auto* object = item.if_object();
  return object == nullptr ? nullptr : object->if_contains(key);
}

// Brings the items into the order the client knows; items it does not know keep their place among the others.
void reorder(json::array& list, const json::array& order, const std::string& key) {
  const auto rank = [&](const json::value& item) {
    const auto found = std::ranges::find_if(order, [&](const json::value& one) {
      if (key.empty()) return one == item;
      const auto* wanted = key_of(one, key);
      const auto* own = key_of(item, key);
      return wanted != nullptr && own != nullptr && *wanted == *own;
    });
    return found == order.end() ? std::optional<std::ptrdiff_t>() : found - order.begin();
  };
  std::vector<json::value> known;
  for (const auto& item : list) {
    if (rank(item)) known.push_back(item);
  }
  std::ranges::stable_sort(known, {}, [&](const json::value& item) { return *rank(item); });
  auto next = known.begin();
  for (auto& item : list) {
    if (rank(item)) item = *next++;
  }
}

std::expected<json::array, std::string> merged_by_key(const json::array& live, const json::array& patch,
                                                      const Schema& schema) {
  const auto& key = schema.patch_merge_key;
  json::array result = live;
  if (std::ranges::any_of(patch, [](const json::value& item) { return directive_of(item) == "replace"; }))
    result.clear();
  for (const auto& item : patch) {
    const auto directive = directive_of(item);
    const auto* value = key_of(item, key);
    if (directive == "replace" && value == nullptr) continue;
    if (value == nullptr || value->is_null()) {
      return std::unexpected(
          fmt::format("map: {} does not contain declared merge key: {}", json::serialize(item), key));
    }
    const auto same = std::ranges::find_if(result, [&](const json::value& one) {
      const auto* own = key_of(one, key);
      return own != nullptr && *own == *value;
    });
    if (directive == "delete") {
      if (same != result.end()) result.erase(same);
      continue;
    }
    auto merged = patched(same == result.end() ? nullptr : &*same, item, schema.items.get());
    if (!merged) return std::unexpected(merged.error());
    if (same == result.end())
      result.push_back(std::move(*merged));
    else
      *same = std::move(*merged);
  }
  return result;
}

json::array merged_as_set(const json::array& live, const json::array& patch) {
  json::array result = live;
  for (const auto& item : patch) {
    if (std::ranges::find(result, item) == result.end()) result.push_back(item);
  }
  return result;
}

Patched patched_list(const json::value* live, const json::array& patch, const Schema* schema) {
  static const json::array kNone;
  const auto& old = live == nullptr || !live->is_array() ? kNone : live->get_array();
  if (schema == nullptr || !schema->patch_merge) return patch;
  if (schema->patch_merge_key.empty()) return merged_as_set(old, patch);
  auto merged = merged_by_key(old, patch, *schema);
  if (!merged) return std::unexpected(merged.error());
  return std::move(*merged);
}

// The directives that speak about neighbouring lists and keys.
void apply_controls(json::object& result, const json::object& patch, const Schema* schema) {
  for (const auto& field : patch) {
    const std::string_view name = field.key();
    const auto* values = field.value().if_array();
    if (values == nullptr) continue;
    if (name == kRetainKeys) {
      std::vector<std::string> gone;
      for (const auto& one : result) {
        if (std::ranges::find(*values, json::value(one.key())) == values->end()) gone.emplace_back(one.key());
      }
      for (const auto& one : gone) result.erase(one);
    } else if (name.starts_with(kDeletePrefix)) {
      auto* list = result.if_contains(name.substr(kDeletePrefix.size()));
      if (list == nullptr || !list->is_array()) continue;
      json::array kept;
      for (const auto& item : list->get_array()) {
        if (std::ranges::find(*values, item) == values->end()) kept.push_back(item);
      }
      *list = std::move(kept);
    } else if (name.starts_with(kOrderPrefix)) {
      const auto target = name.substr(kOrderPrefix.size());
      auto* list = result.if_contains(target);
      const auto* known = schema == nullptr ? nullptr : schema->field(target);
      if (list != nullptr && list->is_array())
        reorder(list->get_array(), *values, known == nullptr ? "" : known->patch_merge_key);
    }
  }
}

Patched patched_object(const json::value* live, const json::object& patch, const Schema* schema) {
  const auto directive = text_at(patch, {kDirective});
  json::object result;
  if (directive == "delete") return json::value(json::object());
  if (!directive.empty() && directive != "replace" && directive != "merge") {
    return std::unexpected(fmt::format("unknown patch type: {}", directive));
  }
  if (directive != "replace" && live != nullptr && live->is_object()) result = live->get_object();
  for (const auto& field : patch) {
    if (is_control(field.key())) continue;
    if (field.value().is_null()) {
      result.erase(field.key());
      continue;
    }
    const auto* known = schema == nullptr ? nullptr : schema->field(field.key());
    auto merged = patched(result.if_contains(field.key()), field.value(), known);
    if (!merged) return merged;
    result[field.key()] = std::move(*merged);
  }
  apply_controls(result, patch, schema);
  return json::value(std::move(result));
}

Patched patched(const json::value* live, const json::value& patch, const Schema* schema) {
  if (const auto* object = patch.if_object()) return patched_object(live, *object, schema);
  if (const auto* array = patch.if_array()) return patched_list(live, *array, schema);
  return patch;
}

}  // namespace

std::expected<json::object, std::string> strategic_merge(const json::object& live, const json::object& patch,
                                                         const Schema& schema) {
  const json::value document(live);
  auto merged = patched_object(&document, patch, &schema);
  if (!merged) return std::unexpected(merged.error());
  return std::move(merged->get_object());
}

}  // namespace capstan::apiserver
