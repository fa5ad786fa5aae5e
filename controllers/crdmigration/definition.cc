#include "controllers/crdmigration/definition.h"

#include <algorithm>
#include <boost/json.hpp>

#include "api/names.h"
#include "controllers/crdmigration/documents.h"
#include "kube/json_patch.h"

namespace capstan::controllers::crdmigration {
namespace {

bool is_set(const json::value& version, std::string_view flag) {
  json::error_code none;
  const auto* found = version.find_pointer(flag, none);
  return found != nullptr && found->is_bool() && found->get_bool();
}

void read_version(const json::value& version, Definition& definition) {
  const std::string name = text_at(version, "/name");
  if (is_set(version, "/served")) definition.served.push_back(definition.stored.group + "/" + name);
  if (!is_set(version, "/storage")) return;
  definition.stored.version = name;
  json::error_code none;
  definition.has_status = version.find_pointer("/subresources/status", none) != nullptr;
}

std::int64_t number_at(const json::value& document, std::string_view pointer) {
  json::error_code none;
  const auto* found = document.find_pointer(pointer, none);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

std::string noted(const json::value& document) {
  return text_at(document, "/metadata/annotations/" +
                               kube::json_pointer_step(api::annotation::kCrdMigrationObservedGeneration));
}

}  // namespace

bool Definition::serves(std::string_view api_version) const {
  return std::ranges::find(served, api_version) != served.end();
}

Result<Definition> read_definition(const json::value& document) {
  Definition definition{.name = text_at(document, "/metadata/name"),
                        .resource_version = text_at(document, "/metadata/resourceVersion"),
                        .generation = number_at(document, "/metadata/generation"),
                        .noted_generation = noted(document),
                        .stored = {.group = text_at(document, "/spec/group"),
                                   .plural = text_at(document, "/spec/names/plural"),
                                   .kind = text_at(document, "/spec/names/kind"),
                                   .namespaced = text_at(document, "/spec/scope") != "Cluster"}};
  for (const json::value& version : list_at(document, "/spec/versions")) read_version(version, definition);
  for (const json::value& version : list_at(document, "/status/storedVersions"))
    if (version.is_string()) definition.stored_versions.emplace_back(version.get_string());
  if (definition.stored.version.empty())
    return fail(Code::Invalid, "CustomResourceDefinition " + definition.name + ": no version is stored");
  return definition;
}

}  // namespace capstan::controllers::crdmigration
