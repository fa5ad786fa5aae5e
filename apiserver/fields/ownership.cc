#include "apiserver/fields/ownership.h"

#include <algorithm>

#include "apiserver/document/document.h"
#include "apiserver/fields/typed_value.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kBeforeFirstApply = "before-first-apply";
const Schema kNothingKnown{.preserve_unknown = true};

// The fields that never have an owner.
const FieldSet& never_owned() {
  static const FieldSet set = [] {
    FieldSet made;
    for (const std::string field : {"apiVersion", "kind", "metadata"}) made.insert({"f:" + field});
    for (const std::string field : {"name", "namespace", "creationTimestamp", "selfLink", "uid",
                                    "clusterName", "generation", "managedFields", "resourceVersion"}) {
      made.insert({"f:metadata", "f:" + field});
    }
    return made;
  }();
  return set;
}

json::object unmanaged(const json::object& object) {
  auto copy = object;
  metadata_of(copy).erase("managedFields");
  return copy;
}

void put_managers(json::object& object, const Managers& managers) {
  auto& metadata = metadata_of(object);
  metadata.erase("managedFields");
  auto encoded = encode_managers(managers);
  if (!encoded.is_null()) metadata["managedFields"] = std::move(encoded);
}

Managers managers_of(const json::object& object) {
  return decode_managers(find(object, {"metadata", "managedFields"})).value_or(Managers());
}

Comparison comparison_at(const Ownership& ownership, const json::object& before, const json::object& after,
                         const std::string& version, bool& gone) {
  Comparison compared;
  if (version == ownership.api_version || !ownership.at_version) {
    compared = compare(before, after, ownership.schema);
  } else {
    const auto old = ownership.at_version(before, version);
    const auto now = ownership.at_version(after, version);
    gone = !old || !now;
    if (gone) return compared;
    compared = compare(old->first, now->first, *now->second);
  }
  compared.added = compared.added.without_subtrees(ownership.ignored);
  compared.modified = compared.modified.without_subtrees(ownership.ignored);
  compared.removed = compared.removed.without_subtrees(ownership.ignored);
  return compared;
}

// What the step from `before` to `after` means for all managers but `self`: which of them lose what, or are
// in the way.
std::expected<Comparison, Conflicts> take_from_others(const Ownership& ownership, const json::object& before,
                                                      const json::object& after, Managers& managers,
                                                      const ManagerKey* self, bool force) {
  std::map<std::string, Comparison> by_version;
  bool unserved = false;
  by_version[ownership.api_version] =
      comparison_at(ownership, before, after, ownership.api_version, unserved);
  Conflicts conflicts;
  Managers left;
  for (const auto& [key, managed] : managers) {
    if (self != nullptr && key == *self) {
      left.emplace(key, managed);
      continue;
    }
    bool gone = false;
    if (!by_version.contains(managed.api_version)) {
      auto compared = comparison_at(ownership, before, after, managed.api_version, gone);
      if (gone) continue;
      by_version.emplace(managed.api_version, std::move(compared));
    }
    const auto& compared = by_version.at(managed.api_version);
    const auto taken = managed.fields & (compared.modified | compared.added);
    taken.each([&](const FieldPath& path) { conflicts.push_back({.manager = key, .path = path}); });
    auto rest = managed;
    rest.fields = managed.fields - taken - compared.removed;
    if (!rest.fields.empty()) left.emplace(key, std::move(rest));
  }
  if (!force && !conflicts.empty()) return std::unexpected(std::move(conflicts));
  managers = std::move(left);
  return by_version.at(ownership.api_version);
}

void record_update(const Ownership& ownership, Managers& managers, const json::object& before,
                   const json::object& after, const std::string& name) {
  const auto compared = *take_from_others(ownership, before, after, managers, nullptr, true);
  const auto changed = (compared.modified | compared.added) - never_owned();
  if (!changed.empty()) {
    const ManagerKey key{
        .manager = name, .subresource = ownership.subresource, .api_version = ownership.api_version};
    auto& managed = managers[key];
    managed.fields = managed.fields | changed;
    managed.api_version = ownership.api_version;
    managed.time = ownership.now;
  }
  cap_updaters(managers);
}

// Takes out what the manager applied last time and does not apply now, unless another manager owns it too.
json::object pruned(const Ownership& ownership, const json::object& merged, const FieldSet& last,
                    const Managers& managers) {
  const auto& schema = ownership.schema;
  FieldSet owned;
  for (const auto& [key, managed] : managers) {
    if (!ownership.drops_others_fields || key.manager == ownership.manager) owned = owned | managed.fields;
  }
  const auto last_named = with_named_parents(last, schema);
  const auto stripped = without_fields(merged, last_named, schema);
  const auto all = with_named_parents(fields_of(merged, schema), schema);
  const auto kept = with_named_parents(fields_of(stripped, schema), schema);
  const auto owned_now = with_named_parents(owned, schema);
  const auto restored = without_fields(merged, all - (kept | owned_now), schema);
  // A struct that has an owner stays even when nothing that is left in it has an owner (a default).
  const auto now = with_named_parents(fields_of(restored, schema), schema) | owned_now;
  return without_fields(merged, (all - now) & last_named, schema);
}

}  // namespace

void own_after_update(const Ownership& ownership, json::object& after, const json::object* before) {
  const auto* given = find(after, {"metadata", "managedFields"});
  if (given != nullptr && is_reset(*given) && ownership.subresource.empty() && before != nullptr) {
    metadata_of(after).erase("managedFields");
    return;
  }
  Managers managers;
  if (ownership.subresource.empty()) managers = managers_of(after);
  if (managers.empty() && before != nullptr) managers = managers_of(*before);
  metadata_of(after).erase("managedFields");
  if (managers.empty() && before != nullptr) return;  // this object has no record of its managers
  const auto old = before != nullptr            ? unmanaged(*before)
                   : ownership.blank != nullptr ? *ownership.blank
                                                : json::object();
  record_update(ownership, managers, old, after, ownership.manager);
  put_managers(after, managers);
}

std::expected<json::object, Conflicts> apply_configuration(const Ownership& ownership,
                                                           const json::object* live,
                                                           const json::object& configuration, bool force) {
  Managers managers = live == nullptr ? Managers() : managers_of(*live);
  const auto current = live == nullptr ? json::object() : unmanaged(*live);
  if (managers.empty() && live != nullptr) {
    auto first = ownership;
    first.subresource.clear();
    record_update(first, managers, {}, current, std::string(kBeforeFirstApply));
  }
  const ManagerKey self{.manager = ownership.manager, .apply = true, .subresource = ownership.subresource};
  FieldSet last;
  if (const auto known = managers.find(self); known != managers.end()) last = known->second.fields;
  const auto claimed = fields_of(configuration, ownership.schema).without_subtrees(ownership.ignored);
  auto result = ownership.replaces_lists ? merge(current, configuration, kNothingKnown)
                                         : merge(current, configuration, ownership.schema);
  auto& own = managers[self];
  own.fields = claimed;
  own.api_version = ownership.api_version;
  if (!last.empty() && !ownership.keeps_dropped_fields) result = pruned(ownership, result, last, managers);

  const auto taken =
      take_from_others(ownership, current, result, managers, &self, force || ownership.ignores_conflicts);
  if (!taken) return std::unexpected(taken.error());
  auto& kept = managers[self];
  kept.fields = claimed - never_owned();
  kept.time = ownership.now;
  if (kept.fields.empty()) managers.erase(self);
  put_managers(result, managers);
  return result;
}

}  // namespace capstan::apiserver
