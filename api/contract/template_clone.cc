#include "api/contract/template_clone.h"

#include <fmt/core.h>

#include <boost/json.hpp>

#include "api/contract/expect.h"
#include "api/names.h"
#include "api/schema/encode.h"
#include "base/try.h"

namespace capstan::api::contract {
namespace {

namespace json = boost::json;

// The object at `name`, an empty one when it is absent.
Result<json::object> object_at(const Foreign& source, const json::object& parent, std::string_view name,
                               std::string_view where) {
  const auto* found = parent.if_contains(name);
  if (found == nullptr || found->is_null()) return json::object();
  if (!found->is_object()) return wrong_type(source, where, "object", *found);
  return found->as_object();
}

Result<json::object> template_body(const Foreign& source, const json::value& document) {
  if (!document.is_object()) return wrong_type(source, "template", "object", document);
  const auto spec = TRY(object_at(source, document.as_object(), "spec", "spec"));
  return object_at(source, spec, "template", "spec.template");
}

// What identifies an object, or belongs to the writer of the template.
void forget_identity(json::object& metadata) {
  for (const std::string_view field : {"resourceVersion", "finalizers", "uid", "selfLink"})
    metadata.erase(field);
}

void overlay(json::object& onto, const TextMap& entries) {
  for (const auto& [key, value] : entries) onto[key.view()] = value.view();
}

// "DockerMachineTemplate.infrastructure.cluster.x-k8s.io"
std::string group_kind(const Foreign& source) {
  const std::string api_version = source.api_version();
  const std::size_t slash = api_version.find('/');
  return slash == std::string::npos ? source.kind()
                                    : fmt::format("{}.{}", source.kind(), api_version.substr(0, slash));
}

Result<json::object> cloned_metadata(const Foreign& source, const json::object& body,
                                     const CloneRequest& request) {
  auto metadata = TRY(object_at(source, body, "metadata", "spec.template.metadata"));
  auto labels = TRY(object_at(source, metadata, "labels", "spec.template.metadata.labels"));
  auto annotations = TRY(object_at(source, metadata, "annotations", "spec.template.metadata.annotations"));
  forget_identity(metadata);
  overlay(labels, request.labels);
  labels[label::kClusterName] = request.cluster_name;
  overlay(annotations, request.annotations);
  annotations[annotation::kClonedFromName] = source.name();
  annotations[annotation::kClonedFromGroupKind] = group_kind(source);

  metadata["name"] = request.name;
  metadata["namespace"] = request.namespace_;
  metadata["labels"] = std::move(labels);
  metadata["annotations"] = std::move(annotations);
  if (request.owner) metadata["ownerReferences"] = json::array{to_json(*request.owner)};
  return metadata;
}

}  // namespace

Result<json::value> clone_from_template(const json::value& source, const CloneRequest& request) {
  const Foreign from(source);
  const std::string kind = from.kind();
  if (kind.empty() || from.api_version().empty()) {
    return fail(Code::Invalid, fmt::format("template {}: it has no kind or no apiVersion", request.name));
  }
  auto body = TRY(template_body(from, source));
  auto metadata = TRY(cloned_metadata(from, body, request));
  if (!body.contains("apiVersion")) body["apiVersion"] = from.api_version();
  if (!body.contains("kind")) body["kind"] = cloned_kind(kind);
  body["metadata"] = std::move(metadata);
  return json::value(std::move(body));
}

std::string_view cloned_kind(std::string_view template_kind) {
  if (template_kind.ends_with(kind::kTemplateSuffix))
    template_kind.remove_suffix(kind::kTemplateSuffix.size());
  return template_kind;
}

}  // namespace capstan::api::contract
