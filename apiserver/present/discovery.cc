#include "apiserver/present/discovery.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/base64.h"
#include "base/hash.h"

namespace capstan::apiserver {
namespace {

const std::vector<std::string> kPartVerbs = {"get", "patch", "update"};

json::array texts(const std::vector<std::string>& from) { return json::array(from.begin(), from.end()); }

// Opaque to clients: equal as long as the objects are stored as the same kind.
std::string storage_version_hash(const ResourceType& type) {
  const auto hash = hash_bytes(type.api_version(type.storage_version().name) + "/" + type.kind);
  std::string bytes;
  for (unsigned shift = 0; shift < 64; shift += 8)
    bytes.push_back(static_cast<char>((hash >> shift) & 0xffU));
  return base64_encode(bytes);
}

json::object group_version(const std::string& group, const std::string& version) {
  return {{"groupVersion", group.empty() ? version : group + "/" + version}, {"version", version}};
}

json::object group_object(const ServedGroup& served) {
  json::array versions;
  for (const auto& version : served.versions) versions.push_back(group_version(served.name, version));
  return {{"name", served.name},
          {"versions", std::move(versions)},
          {"preferredVersion", group_version(served.name, served.versions.front())}};
}

void list_resource(const ResourceType& type, const ServedVersion& version, json::array& resources) {
  json::object resource{{"name", type.plural},
                        {"singularName", type.singular},
                        {"namespaced", type.namespaced},
                        {"kind", type.kind},
                        {"verbs", texts(type.verbs)}};
  if (!type.short_names.empty()) resource["shortNames"] = texts(type.short_names);
  if (!type.categories.empty()) resource["categories"] = texts(type.categories);
  if (type.allows("list")) resource["storageVersionHash"] = storage_version_hash(type);
  resources.push_back(std::move(resource));
  for (const auto& part : subresources(type, version)) {
    json::object listed{
        {"name", type.plural + "/" + part.name}, {"singularName", ""}, {"namespaced", type.namespaced}};
    if (!part.own_kind && part.group != type.group) {
      listed["group"] = part.group;
      listed["version"] = part.version;
    }
    listed["kind"] = part.kind;
    listed["verbs"] = texts(part.verbs);
    resources.push_back(std::move(listed));
  }
}

// Built-in kinds leave group and version out, as kube-apiserver does: clients then take those of the list.
json::object response_kind(std::string_view group, std::string_view version, std::string_view kind) {
  return {{"group", group}, {"version", version}, {"kind", kind}};
}

json::object discovered(const ResourceType& type, const ServedVersion& version) {
  const std::string own_group = type.custom ? type.group : "";
  const std::string own_version = type.custom ? version.name : "";
  json::object resource{{"resource", type.plural},
                        {"responseKind", response_kind(own_group, own_version, type.kind)},
                        {"scope", type.namespaced ? "Namespaced" : "Cluster"},
                        {"singularResource", type.singular},
                        {"verbs", texts(type.verbs)}};
  if (!type.short_names.empty()) resource["shortNames"] = texts(type.short_names);
  if (!type.categories.empty()) resource["categories"] = texts(type.categories);
  json::array parts;
  for (const auto& part : subresources(type, version)) {
    const bool own = part.own_kind || part.group == type.group;
    parts.push_back(json::object{{"subresource", part.name},
                                 {"responseKind", response_kind(own ? own_group : part.group,
                                                                own ? own_version : part.version, part.kind)},
                                 {"verbs", texts(part.verbs)}});
  }
  if (!parts.empty()) resource["subresources"] = std::move(parts);
  return resource;
}

json::object discovered_group(const ServedGroup& served) {
  json::array versions;
  for (const auto& name : served.versions) {
    json::array resources;
    for (const auto& type : served.types) {
      const auto* version = type->version(name);
      if (version != nullptr && version->served) resources.push_back(discovered(*type, *version));
    }
    versions.push_back(
        json::object{{"version", name}, {"resources", std::move(resources)}, {"freshness", "Current"}});
  }
  json::object metadata;
  if (!served.name.empty()) metadata["name"] = served.name;
  return {{"metadata", std::move(metadata)}, {"versions", std::move(versions)}};
}

}  // namespace

bool version_goes_before(std::string_view left, std::string_view right) {
  const auto left_rank = version_rank(left);
  const auto right_rank = version_rank(right);
  return left_rank != right_rank ? left_rank > right_rank : left < right;
}

std::vector<Subresource> subresources(const ResourceType& type, const ServedVersion& version) {
  std::vector<Subresource> parts;
  if (version.has_status)
    parts.push_back({.name = "status", .kind = type.kind, .own_kind = true, .verbs = kPartVerbs});
  if (version.scale) {
    parts.push_back(
        {.name = "scale", .group = "autoscaling", .version = "v1", .kind = "Scale", .verbs = kPartVerbs});
  }
  for (const auto& extra : type.extra) {
    parts.push_back({.name = extra.name,
                     .group = extra.group,
                     .version = extra.version,
                     .kind = extra.kind,
                     .own_kind = extra.kind == type.kind,
                     .verbs = extra.verbs});
  }
  if (!type.custom) std::ranges::sort(parts, {}, &Subresource::name);
  return parts;
}

std::vector<ServedGroup> served_groups(const Api& api) {
  std::vector<ServedGroup> groups;
  for (const auto& type : api.types()) {
    auto found = std::ranges::find(groups, type->group, &ServedGroup::name);
    if (found == groups.end()) found = groups.insert(groups.end(), ServedGroup{.name = type->group});
    found->types.push_back(type);
    for (const auto& version : type->versions) {
      if (version.served && std::ranges::find(found->versions, version.name) == found->versions.end()) {
        found->versions.push_back(version.name);
      }
    }
  }
  std::erase_if(groups, [](const ServedGroup& one) { return one.versions.empty(); });
  for (auto& one : groups) {
    std::ranges::sort(one.versions, version_goes_before);
    std::ranges::sort(one.types, {}, [](const TypePtr& type) { return type->plural; });
  }
  return groups;
}

json::object api_versions() {
  return {{"kind", "APIVersions"},
          {"versions", json::array{"v1"}},
          {"serverAddressByClientCIDRs", json::array()}};
}

json::object group_list(const Api& api) {
  json::array groups;
  for (const auto& served : served_groups(api)) {
    if (!served.name.empty()) groups.push_back(group_object(served));
  }
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

std::optional<json::object> group(const Api& api, std::string_view name) {
  const auto groups = served_groups(api);
  const auto found = std::ranges::find(groups, name, &ServedGroup::name);
  if (name.empty() || found == groups.end()) return {};
  json::object answer{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
  for (auto& member : group_object(*found)) answer[member.key()] = std::move(member.value());
  return answer;
}

std::optional<json::object> resource_list(const Api& api, std::string_view group, std::string_view version) {
  const auto groups = served_groups(api);
  const auto found = std::ranges::find(groups, group, &ServedGroup::name);
  if (found == groups.end() || std::ranges::find(found->versions, version) == found->versions.end())
    return {};
  json::array resources;
  for (const auto& type : found->types) {
    const auto* served = type->version(version);
    if (served != nullptr && served->served) list_resource(*type, *served, resources);
  }
  json::object answer{{"kind", "APIResourceList"}};
  if (!group.empty()) answer["apiVersion"] = "v1";
  answer["groupVersion"] =
      group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
  answer["resources"] = std::move(resources);
  return answer;
}

json::object aggregated(const Api& api, bool core) {
  json::array items;
  for (const auto& served : served_groups(api)) {
    if (served.name.empty() == core) items.push_back(discovered_group(served));
  }
  return {{"kind", "APIGroupDiscoveryList"},
          {"apiVersion", "apidiscovery.k8s.io/v2"},
          {"metadata", json::object()},
          {"items", std::move(items)}};
}

json::object server_version() {
  return {{"major", "1"},
          {"minor", "36"},
          {"emulationMajor", "1"},
          {"emulationMinor", "36"},
          {"minCompatibilityMajor", "1"},
          {"minCompatibilityMinor", "35"},
          {"gitVersion", "v1.36.3+capstan"},
          {"gitCommit", "capstan"},
          {"gitTreeState", "clean"},
          {"buildDate", "1970-01-01T00:00:00Z"},
          {"goVersion", "none"},
          {"compiler", "gcc"},
          {"platform", "linux/amd64"}};
}

}  // namespace capstan::apiserver
