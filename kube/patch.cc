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

// The other half, and what is the server's own, goes.
void keep(Part part, json::object& members) {
  if (part == Part::Status) {
    for (auto member = members.begin(); member != members.end();)
      member = member->key() == "status" ? member + 1 : members.erase(member);
    return;
  }
  members.erase("status");
  json::value* metadata = members.if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) return;
  for (const std::string_view name : kServerOwned) metadata->get_object().erase(name);
}

json::value part_of(const json::value& object, Part part) {
  if (!object.is_object()) return json::object();
  json::object chosen = object.get_object();
  keep(part, chosen);
  return chosen;
}

std::optional<json::value> patch_of(const json::value& before, const json::value& after,
                                    const json::value* version, Lock lock) {
  json::value patch = merge_difference(before, after);
  json::object& members = patch.get_object();
  if (members.empty()) return {};
  const bool locked =
      lock == Lock::Always || (lock == Lock::WhenArraysChange && replaces_array(patch, before));
  if (!locked || version == nullptr || is_off(Safeguard::ArrayVersions)) return patch;
  json::value& target = members["metadata"];
  if (!target.is_object()) target = json::object();
  target.get_object()["resourceVersion"] = *version;
  return patch;
}

const void* member_of(const api::TypeInfo& type, const void* object, std::string_view name,
                      const api::TypeInfo*& its_type) {
  const auto member = std::ranges::find(type.members, name, &api::Member::name);
  if (member == type.members.end()) return nullptr;
  its_type = member->type;
  return member->address(const_cast<void*>(object));
}

// metadata.resourceVersion of a struct; empty when it has none.
std::string version_of(const api::TypeInfo& type, const void* object) {
  const api::TypeInfo* inner = nullptr;
  const void* metadata = member_of(type, object, "metadata", inner);
  if (metadata == nullptr || inner->shape != api::Shape::Object) return {};
  const void* version = member_of(*inner, metadata, "resourceVersion", inner);
  if (version == nullptr || inner->shape != api::Shape::ResourceVersion) return {};
  return static_cast<const api::ResourceVersion*>(version)->str();
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
  const json::value* metadata = member(before, "metadata");
  const json::value* version = metadata == nullptr ? nullptr : member(*metadata, "resourceVersion");
  return patch_of(part_of(before, part), part_of(after, part), version, lock);
}

std::optional<json::value> merge_patch(const api::TypeInfo& type, const void* before, const void* after,
                                       Part part, Lock lock) {
  json::monotonic_resource scratch(kPatchScratch);
  json::value old_rest(json::object_kind, &scratch);
  json::value new_rest(json::object_kind, &scratch);
  api::detail::split_differences(type, before, after, old_rest.get_object(), new_rest.get_object());
  keep(part, old_rest.get_object());
  keep(part, new_rest.get_object());
  const json::value version(version_of(type, before), &scratch);
  return patch_of(old_rest, new_rest, version.get_string().empty() ? nullptr : &version, lock);
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
