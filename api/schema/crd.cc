#include "api/schema/crd.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cassert>

#include <fmt/format.h>
#include "api/schema/lists_in_text.h"
#include "api/schema/openapi.h"

namespace capstan::api {
namespace {

namespace json = boost::json;

json::string text(std::string_view view) { return json::string(view); }

json::object labels_of(std::span<const StaticLabel> labels) {
  json::object out;
  for (const StaticLabel& label : labels) out[label.key] = text(label.value);
  return out;
}

json::array strings(std::string_view list) {
  json::array out;
  for (const std::string_view part : detail::parts_of(list)) out.push_back(text(part));
  return out;
}

std::string lower(std::string_view word) {
  std::string out(word);
  std::ranges::transform(
      out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return out;
}

json::object names_of(const ResourceInfo& resource) {
  json::object names{
      {"kind", text(resource.kind)},
      {"listKind", fmt::format("{}List", resource.kind)},
      {"plural", text(resource.plural)},
      {"singular", resource.singular.empty() ? lower(resource.kind) : std::string(resource.singular)}};
  if (!resource.categories.empty()) names["categories"] = strings(resource.categories);
  if (!resource.short_names.empty()) names["shortNames"] = strings(resource.short_names);
  return names;
}

json::array columns_of(std::span<const Column> columns) {
  json::array out;
  for (const Column& column : columns) {
    json::object row{
        {"name", text(column.name)}, {"jsonPath", text(column.json_path)}, {"type", text(column.type)}};
    if (!column.description.empty()) row["description"] = text(column.description);
    if (!column.format.empty()) row["format"] = text(column.format);
    if (column.priority != 0) row["priority"] = column.priority;
    out.push_back(std::move(row));
  }
  return out;
}

json::object subresources_of(const ResourceInfo& resource) {
  json::object out;
  if (resource.status_subresource) out["status"] = json::object();
  if (resource.has_scale()) {
    json::object scale{{"specReplicasPath", text(resource.scale.spec_replicas_path)},
                       {"statusReplicasPath", text(resource.scale.status_replicas_path)}};
    if (!resource.scale.label_selector_path.empty()) {
      scale["labelSelectorPath"] = text(resource.scale.label_selector_path);
    }
    out["scale"] = std::move(scale);
  }
  return out;
}

const ResourceInfo& stored_of(std::span<const CrdVersion> versions) {
  const auto stored =
      std::ranges::find_if(versions, [](const auto& version) { return version.resource->storage; });
  return stored == versions.end() ? *versions.front().resource : *stored->resource;
}

// What the API server tells clients that use a deprecated version.
void put_deprecation(json::object& out, const ResourceInfo& resource, const ResourceInfo& stored) {
  if (!resource.deprecated) return;
  out["deprecated"] = true;
  out["deprecationWarning"] = fmt::format("{} of {} is deprecated and will go away: write {}",
                                          resource.api_version(), resource.kind, stored.api_version());
}

json::object version_of(const CrdVersion& version, const ResourceInfo& stored) {
  const ResourceInfo& resource = *version.resource;
  json::object out{{"name", text(resource.version)},
                   {"schema", {{"openAPIV3Schema", detail::openapi(*version.type)}}},
                   {"served", resource.served},
                   {"storage", resource.storage}};
  if (!resource.columns.empty()) out["additionalPrinterColumns"] = columns_of(resource.columns);
  if (auto subresources = subresources_of(resource); !subresources.empty()) {
    out["subresources"] = std::move(subresources);
  }
  put_deprecation(out, resource, stored);
  return out;
}

json::object metadata_of(const ResourceInfo& resource) {
  json::object metadata{{"name", fmt::format("{}.{}", resource.plural, resource.group)}};
  if (!resource.labels.empty()) metadata["labels"] = labels_of(resource.labels);
  if (!resource.annotations.empty()) metadata["annotations"] = labels_of(resource.annotations);
  return metadata;
}

}  // namespace

json::value crd(std::span<const CrdVersion> versions) {
  assert(!versions.empty());
  const ResourceInfo& resource = *versions.front().resource;
  json::array rows;
  for (const CrdVersion& version : versions) rows.push_back(version_of(version, stored_of(versions)));
  return json::object{{"apiVersion", "apiextensions.k8s.io/v1"},
                      {"kind", "CustomResourceDefinition"},
                      {"metadata", metadata_of(resource)},
                      {"spec",
                       {{"group", text(resource.group)},
                        {"names", names_of(resource)},
                        {"scope", resource.scope == Scope::Cluster ? "Cluster" : "Namespaced"},
                        {"versions", std::move(rows)}}}};
}

std::string crd_file_name(const ResourceInfo& resource) {
  return fmt::format("{}_{}.yaml", resource.group, resource.plural);
}

}  // namespace capstan::api
