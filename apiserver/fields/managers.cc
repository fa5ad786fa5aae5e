#include "apiserver/fields/managers.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "apiserver/document/document.h"
#include "apiserver/document/field_error.h"

namespace capstan::apiserver {
namespace {

constexpr std::size_t kMaxUpdaters = 10;
constexpr std::string_view kAncient = "ancient-changes";

json::object encoded(const ManagerKey& key, const Managed& managed) {
  json::object entry{{"manager", key.manager},
                     {"operation", key.apply ? "Apply" : "Update"},
                     {"apiVersion", managed.api_version}};
  if (!managed.time.empty()) entry["time"] = managed.time;
  entry["fieldsType"] = "FieldsV1";
  entry["fieldsV1"] = to_fields_v1(managed.fields);
  if (!key.subresource.empty()) entry["subresource"] = key.subresource;
  return entry;
}

}  // namespace

std::optional<Managers> decode_managers(const json::value* managed_fields) {
  Managers managers;
  if (managed_fields == nullptr || managed_fields->is_null()) return managers;
  const auto* entries = managed_fields->if_array();
  if (entries == nullptr) return {};
  for (const auto& value : *entries) {
    const auto* entry = value.if_object();
    if (entry == nullptr) return {};
    const auto operation = text_at(*entry, {"operation"});
    const auto version = text_at(*entry, {"apiVersion"});
    if ((operation != "Apply" && operation != "Update") || version.empty()) return {};
    if (text_at(*entry, {"fieldsType"}) != "FieldsV1") return {};
    const auto* fields = entry->if_contains("fieldsV1");
    auto set = fields == nullptr ? FieldSet() : from_fields_v1(*fields);
    if (!set) return {};
    const bool apply = operation == "Apply";
    managers[{.manager = std::string(text_at(*entry, {"manager"})),
              .apply = apply,
              .subresource = std::string(text_at(*entry, {"subresource"})),
              .api_version = apply ? std::string() : std::string(version)}] = {
        .fields = std::move(*set),
        .api_version = std::string(version),
        .time = std::string(text_at(*entry, {"time"}))};
  }
  return managers;
}

json::value encode_managers(const Managers& managers) {
  if (managers.empty()) return nullptr;
  std::vector<const Managers::value_type*> rows;
  for (const auto& row : managers) rows.push_back(&row);
  std::ranges::sort(rows, {}, [](const auto* row) {
    return std::tuple{!row->first.apply, row->second.time, row->first.manager, row->second.api_version,
                      row->first.subresource};
  });
  json::array entries;
  for (const auto* row : rows) entries.push_back(encoded(row->first, row->second));
  return entries;
}

bool is_reset(const json::value& managed_fields) {
  const auto* entries = managed_fields.if_array();
  if (entries == nullptr) return false;
  return entries->empty() ||
         (entries->size() == 1 && entries->front().is_object() && entries->front().get_object().empty());
}

std::string shown_manager(const ManagerKey& key) {
  auto text = quoted(key.manager);
  if (!key.subresource.empty()) text += " with subresource " + quoted(key.subresource);
  if (!key.apply) text += " using " + key.api_version;
  return text;
}

void cap_updaters(Managers& managers) {
  std::vector<ManagerKey> updaters;
  for (const auto& [key, managed] : managers) {
    if (!key.apply) updaters.push_back(key);
  }
  if (updaters.size() <= kMaxUpdaters) return;
  std::ranges::sort(updaters, {},
                    [&](const ManagerKey& key) { return std::tuple{managers.at(key).time, key}; });
  std::map<std::string, ManagerKey> first_of_version;
  auto count = updaters.size();
  for (const auto& key : updaters) {
    if (count <= kMaxUpdaters) return;
    const auto version = managers.at(key).api_version;
    const auto [first, fresh] = first_of_version.emplace(version, key);
    if (fresh) continue;
    const ManagerKey bucket{.manager = std::string(kAncient), .api_version = version};
    if (!managers.contains(bucket)) {
      managers[bucket] = managers.at(first->second);
      managers.erase(first->second);
    }
    auto& ancient = managers.at(bucket);
    const auto oldest = managers.at(key);
    ancient.fields = ancient.fields | oldest.fields;
    ancient.time = oldest.time;
    managers.erase(key);
    --count;
  }
}

}  // namespace capstan::apiserver
