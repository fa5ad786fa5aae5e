#include "apiserver/openapi.h"

#include <fmt/format.h>

#include "apiserver/discovery.h"
#include "apiserver/openapi_paths.h"
#include "apiserver/openapi_schema.h"
#include "base/hash.h"

namespace capstan::apiserver {
namespace {

std::string path_of(const std::string& group, const std::string& version) {
  return group.empty() ? "api/" + version : "apis/" + group + "/" + version;
}

// Of everything the document is made from.
std::uint64_t hash_of_document(const ServedGroup& group, std::string_view version) {
  std::uint64_t hash = hash_bytes(version);
  for (const auto& type : group.types) {
    const auto* served = type->version(version);
    if (served == nullptr || !served->served) continue;
    hash = hash_combine(hash, hash_bytes(type->plural + "/" + type->kind));
    if (served->schema->source)
      hash = hash_combine(hash, hash_bytes(json::serialize(*served->schema->source)));
    for (const auto& part : subresources(*type, *served)) hash = hash_combine(hash, hash_bytes(part.name));
  }
  return hash;
}

json::object document(const ServedGroup& group, std::string_view version) {
  OpenApiComponents components;
  components.add_machinery();
  json::object paths;
  for (const auto& type : group.types) {
    const auto* served = type->version(version);
    if (served == nullptr || !served->served) continue;
    const auto name = components.add_kind(*type, *served);
    add_paths(
        *type, *served, name,
        [&](const Subresource& part) { return components.add_body(part.group, part.version, part.kind); },
        paths);
  }
  return {{"openapi", "3.0.0"},
          {"info", json::object{{"title", "Kubernetes"}, {"version", "1.36"}}},
          {"paths", std::move(paths)},
          {"components", json::object{{"schemas", std::move(components).schemas()}}}};
}

}  // namespace

json::object openapi_index(const Api& api) {
  json::object paths;
  for (const auto& group : served_groups(api)) {
    for (const auto& version : group.versions) {
      const auto path = path_of(group.name, version);
      paths[path] = json::object{{"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={:016X}", path,
                                                                   hash_of_document(group, version))}};
    }
  }
  return {{"paths", std::move(paths)}};
}

std::optional<json::object> openapi_document(const Api& api, std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  for (const auto& group : served_groups(api)) {
    for (const auto& version : group.versions) {
      if (path_of(group.name, version) == path) return document(group, version);
    }
  }
  return {};
}

}  // namespace capstan::apiserver
