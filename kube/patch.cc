#include "kube/patch.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "api/schema/encode.h"
#include "base/safeguards.h"
#include "kube/merge_patch.h"

namespace capstan::kube {
namespace json = boost::json;
namespace {

constexpr std::array<std::string_view, 7> kServerOwned = {
    "resourceVersion",   "uid",           "generation", "creationTimestamp",
    "deletionTimestamp", "managedFields", "selfLink"};

constexpr std::size_t kPatchScratch = 32U << 10;  // two Machines, their patch and what lies between

const json::value* member(const json::value& object, std::string_view name) {
  const json::object* members = object.if_object();
  return members == nullptr ? nullptr : members->if_contains(name);
}

json::object part_of(const json::value& object, Part part) {
  json::object chosen(object.storage());
  const json::object* members = object.if_object();
  if (members == nullptr) return chosen;
  for (const auto& [name, value] : *members) {
    const bool is_status = name == "status";
    const bool is_type = name == "apiVersion" || name == "kind";
    if (!is_type && is_status == (part == Part::Status)) chosen.emplace(name, value);
  }
  json::value* metadata = chosen.if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) return chosen;
  for (const std::string_view name : kServerOwned) metadata->get_object().erase(name);
  return chosen;
}

json::array list_of(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

json::value list_patch(const std::vector<std::string>& present, const std::vector<std::string>& wanted) {
  constexpr std::string_view kPath = "/metadata/finalizers";
  const json::value before = present.empty() ? json::value(nullptr) : json::value(list_of(present));
  json::array patch;
  patch.push_back({{"op", "test"}, {"path", kPath}, {"value", before}});
  if (wanted.empty()) {
    patch.push_back({{"op", "remove"}, {"path", kPath}});
  } else {
    patch.push_back({{"op", "add"}, {"path", kPath}, {"value", list_of(wanted)}});
  }
  return patch;
}

}  // namespace

std::optional<json::value> merge_patch(const json::value& before, const json::value& after, Part part,
                                       Lock lock) {
  const json::value old_part = part_of(before, part);
  json::value patch = merge_difference(old_part, part_of(after, part));
  json::object& members = patch.get_object();
  if (members.empty()) return {};
  const json::value* metadata = member(before, "metadata");
  const json::value* version = metadata == nullptr ? nullptr : member(*metadata, "resourceVersion");
  const bool locked =
      lock == Lock::Always || (lock == Lock::WhenArraysChange && replaces_array(patch, old_part));
  if (!locked || version == nullptr || is_off(Safeguard::ArrayVersions)) return patch;
  json::value& target = members["metadata"];
  if (!target.is_object()) target = json::object();
  target.get_object()["resourceVersion"] = *version;
  return patch;
}

std::optional<json::value> merge_patch(const api::TypeInfo& type, const void* before, const void* after,
                                       Part part, Lock lock) {
  json::monotonic_resource scratch(kPatchScratch);
  const auto patch = merge_patch(api::detail::to_json(type, before, &scratch),
                                 api::detail::to_json(type, after, &scratch), part, lock);
  if (!patch) return {};
  return json::value(*patch, json::storage_ptr());  // a document that outlives the scratch
}

std::optional<json::value> add_finalizer_patch(const std::vector<std::string>& present,
                                               std::string_view finalizer) {
  if (std::ranges::find(present, finalizer) != present.end()) return {};
  std::vector<std::string> wanted = present;
  wanted.emplace_back(finalizer);
  return list_patch(present, wanted);
}

std::optional<json::value> remove_finalizer_patch(const std::vector<std::string>& present,
                                                  std::string_view finalizer) {
  std::vector<std::string> wanted = present;
  if (std::erase(wanted, finalizer) == 0) return {};
  return list_patch(present, wanted);
}

}  // namespace capstan::kube
