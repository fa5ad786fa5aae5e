#include "apiserver/present/openapi.h"

#include <fmt/format.h>

#include "apiserver/present/discovery.h"
#include "apiserver/present/openapi_paths.h"
#include "apiserver/present/openapi_schema.h"
#include "base/hash.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kSwagger = "2.0";
constexpr std::string_view kOpenApiTitle = "Kubernetes";
constexpr std::string_view kOpenApiVersion = "1.36";

// Of text or of a message, both shorter than 128 bytes.
std::string protobuf_field(unsigned number, std::string_view content) {
  constexpr unsigned kWithLength = 2;
  std::string bytes{static_cast<char>(number << 3U | kWithLength), static_cast<char>(content.size())};
  return bytes.append(content);
}

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
          {"info", json::object{{"title", kOpenApiTitle}, {"version", kOpenApiVersion}}},
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

json::object openapi_v2() {
  return {{"swagger", kSwagger},
          {"info", json::object{{"title", kOpenApiTitle}, {"version", kOpenApiVersion}}},
          {"paths", json::object{}},
          {"definitions", json::object{}}};
}

// The numbers are those of gnostic's OpenAPIv2.proto: Document and Info.
std::string openapi_v2_protobuf() {
  const std::string about = protobuf_field(1, kOpenApiTitle) + protobuf_field(2, kOpenApiVersion);
  return protobuf_field(1, kSwagger) + protobuf_field(2, about) + protobuf_field(8, "") +
         protobuf_field(9, "");
}

// "@v1.0" is the older spelling, and kubectl's.
bool wants_openapi_protobuf(std::string_view accept) {
  return accept.contains(kOpenApiV2Protobuf) ||
         accept.contains("application/com.github.proto-openapi.spec.v2@v1.0+protobuf");
}

}  // namespace capstan::apiserver
