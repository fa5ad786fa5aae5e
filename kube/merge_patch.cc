#include "kube/merge_patch.h"

#include <algorithm>
#include <boost/json.hpp>

namespace capstan::kube {
namespace json = boost::json;
namespace {

json::object difference(const json::object& before, const json::object& after,
                        const json::storage_ptr& storage) {
  json::object patch(storage);
  for (const auto& [name, value] : after) {
    if (value.is_null()) continue;
    const json::value* old = before.if_contains(name);
    if (old != nullptr && *old == value) continue;
    if (old != nullptr && old->is_object() && value.is_object()) {
      json::object inner = difference(old->get_object(), value.get_object(), storage);
      if (!inner.empty()) patch.emplace(name, std::move(inner));
    } else if (value.is_object()) {
      // A scalar, array or nothing becomes an object: merging into it must not meet nulls that mean "delete".
      patch.emplace(name, difference({}, value.get_object(), storage));
    } else {
      patch.emplace(name, value);
    }
  }
  for (const auto& [name, value] : before) {
    const json::value* now = after.if_contains(name);
    if (!value.is_null() && (now == nullptr || now->is_null())) patch.emplace(name, nullptr);
  }
  return patch;
}

}  // namespace

json::value merge_difference(const json::value& before, const json::value& after) {
  if (after.is_object())
    return difference(before.is_object() ? before.get_object() : json::object(), after.get_object(), {});
  return before == after ? json::value(json::object()) : after;
}

void apply_merge_patch(json::value& target, const json::value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target = json::object(target.storage());
  json::object& members = target.get_object();
  for (const auto& [name, value] : patch.get_object()) {
    if (value.is_null()) {
      members.erase(name);
    } else {
      apply_merge_patch(members[name], value);
    }
  }
}

bool replaces_array(const json::value& patch, const json::value& before) {
  if (patch.is_array()) return true;
  if (patch.is_null()) return before.is_array();
  if (!patch.is_object()) return false;
  static const json::value nothing;
  return std::ranges::any_of(patch.get_object(), [&](const auto& member) {
    const json::object* old = before.if_object();
    const json::value* value = old == nullptr ? nullptr : old->if_contains(member.key());
    return replaces_array(member.value(), value == nullptr ? nothing : *value);
  });
}

}  // namespace capstan::kube
