#include "cmd/dev/manifests.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/schema/yaml.h"
#include "base/try.h"
#include "cmd/dev/files.h"

namespace capstan::dev {
namespace {

namespace json = boost::json;

constexpr std::string_view kFieldManager = "kubectl";

std::string text_at(const json::value& object, std::string_view field) {
  const auto* fields = object.if_object();
  const auto* value = fields == nullptr ? nullptr : fields->if_contains(field);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::string metadata_text(const json::value& object, std::string_view field) {
  const auto* fields = object.if_object();
  const auto* metadata = fields == nullptr ? nullptr : fields->if_contains("metadata");
  return metadata == nullptr ? std::string() : text_at(*metadata, field);
}

}  // namespace

Result<std::vector<json::value>> read_manifests(const std::string& path) {
  const auto text = TRY(read_file(path));
  auto documents = api::parse_yaml_documents(text);
  if (!documents) return fail(documents.error().context(path));
  return documents;
}

Result<kube::Resource> resource_of(kube::Client& client, const json::value& object,
                                   const Deadline& deadline) {
  const std::string api_version = text_at(object, "apiVersion");
  const std::string kind = text_at(object, "kind");
  if (api_version.empty() || kind.empty()) return fail(Code::Invalid, "a manifest needs apiVersion and kind");
  const auto slash = api_version.find('/');
  const std::string group = slash == std::string::npos ? "" : api_version.substr(0, slash);
  const std::string version = slash == std::string::npos ? api_version : api_version.substr(slash + 1);
  const std::string path = group.empty() ? "/api/" + version : "/apis/" + group + "/" + version;
  auto list = client.get_path(path, deadline);
  if (!list)
    return fail(list.error().context(fmt::format("{} {}: the server does not serve it", api_version, kind)));
  for (const json::value& entry : list->at("resources").as_array()) {
    const std::string name = text_at(entry, "name");
    if (text_at(entry, "kind") != kind || name.find('/') != std::string::npos) continue;
    return kube::Resource{.group = group,
                          .version = version,
                          .plural = name,
                          .kind = kind,
                          .namespaced = entry.at("namespaced").as_bool()};
  }
  return fail(Code::NotFound, fmt::format("{} has no kind {}", api_version, kind));
}

Result<std::string> apply_manifest(kube::Client& client, const json::value& object,
                                   const Deadline& deadline) {
  const auto resource = TRY(resource_of(client, object, deadline));
  kube::ObjectKey key{.namespace_ = metadata_text(object, "namespace"),
                      .name = metadata_text(object, "name")};
  if (key.name.empty()) return fail(Code::Invalid, resource.kind + " without metadata.name");
  json::value body = object;
  if (resource.namespaced && key.namespace_.empty()) {
    key.namespace_ = "default";
    body.as_object()["metadata"].as_object()["namespace"] = key.namespace_;
  }
  std::string name = resource.kind + " " + key.describe();
  const auto applied = client.patch(
      resource, key, body,
      {.type = kube::PatchType::Apply, .field_manager = std::string(kFieldManager), .force = true}, deadline);
  if (!applied) return fail(applied.error().context("apply " + name));
  return name;
}

}  // namespace capstan::dev
