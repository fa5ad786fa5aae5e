#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "apiserver/builtin/strategies.h"
#include "apiserver/document/document.h"
#include "apiserver/document/name_rules.h"

namespace capstan::apiserver {
namespace {

std::string lower(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return made;
}

void fill_definition(json::object& object) {
  auto* names = object_at(object, {"spec", "names"});
  if (names == nullptr) return;
  const std::string kind(text_at(*names, {"kind"}));
  if (text_at(*names, {"singular"}).empty()) (*names)["singular"] = lower(kind);
  if (text_at(*names, {"listKind"}).empty() && !kind.empty()) (*names)["listKind"] = kind + "List";
}

void begin_definition(json::object& object) {
  auto& stored = array_in(object_in(object, "status"), "storedVersions");
  const auto* versions = array_at(object, {"spec", "versions"});
  if (versions == nullptr) return;
  for (const auto& version : *versions) {
    if (version.is_object() && flag_at(version.get_object(), {"storage"}))
      stored.push_back(version.get_object().at("name"));
  }
}

void check_schema_root(const json::object& version, const std::string& path, FieldErrors& errors) {
  const auto* schema = object_at(version, {"schema", "openAPIV3Schema"});
  if (schema == nullptr) {
    errors.push_back(required(path + ".schema.openAPIV3Schema", "schemas are required"));
    return;
  }
  const auto type = text_at(*schema, {"type"});
  if (type.empty()) {
    errors.push_back(required(path + ".schema.openAPIV3Schema.type", "must not be empty at the root"));
  } else if (type != "object") {
    errors.push_back(invalid_value(path + ".schema.openAPIV3Schema.type", json::value(type),
                                   "must be object at the root"));
  }
}

void check_versions(const json::object& object, FieldErrors& errors) {
  const auto* versions = array_at(object, {"spec", "versions"});
  if (versions == nullptr || versions->empty()) {
    errors.push_back(required("spec.versions", "must have at least one version"));
    return;
  }
  std::set<std::string> seen;
  std::size_t storage = 0;
  for (std::size_t i = 0; i < versions->size(); ++i) {
    const auto* version = (*versions)[i].if_object();
    if (version == nullptr) continue;
    const auto path = item("spec.versions", i);
    const auto name = text_at(*version, {"name"});
    for (const auto& complaint : dns_label_complaints(name)) {
      errors.push_back(invalid_value(path + ".name", json::value(name), complaint));
    }
    if (!seen.emplace(name).second) {
      errors.push_back(invalid_value("spec.versions", *versions, "must contain unique version names"));
    }
    if (flag_at(*version, {"storage"})) ++storage;
    check_schema_root(*version, path, errors);
  }
  if (storage != 1) {
    errors.push_back(
        invalid_value("spec.versions", *versions, "must have exactly one version marked as storage version"));
  }
}

void check_names(const json::object& object, FieldErrors& errors) {
  for (const std::string_view field : {"plural", "singular", "kind", "listKind"}) {
    const auto text = text_at(object, {"spec", "names", field});
    const auto path = child("spec.names", field);
    if (text.empty()) errors.push_back(required(path));
    for (const auto& complaint : dns_label_complaints(lower(text))) {
      if (!text.empty()) errors.push_back(invalid_value(path, json::value(text), complaint));
    }
  }
  const auto scope = text_at(object, {"spec", "scope"});
  if (scope != "Cluster" && scope != "Namespaced") {
    errors.push_back(unsupported_value("spec.scope", json::value(scope), {"Cluster", "Namespaced"}));
  }
}

void check_immutable(const json::object& object, const json::object& before, FieldErrors& errors) {
  for (const std::string_view field : {"group", "scope"}) {
    if (text_at(object, {"spec", field}) != text_at(before, {"spec", field})) {
      errors.push_back(invalid_value(child("spec", field), json::value(text_at(object, {"spec", field})),
                                     "field is immutable"));
    }
  }
  for (const std::string_view field : {"plural", "kind"}) {
    if (text_at(object, {"spec", "names", field}) != text_at(before, {"spec", "names", field}) &&
        field == "plural") {
      errors.push_back(invalid_value(
          "spec.names.plural", json::value(text_at(object, {"spec", "names", field})), "field is immutable"));
    }
  }
}

void check_definition(const json::object& object, const json::object* before, FieldErrors& errors) {
  const auto group = text_at(object, {"spec", "group"});
  const auto plural = text_at(object, {"spec", "names", "plural"});
  if (group.empty()) {
    errors.push_back(required("spec.group"));
  } else if (group.find('.') == std::string_view::npos) {
    errors.push_back(
        invalid_value("spec.group", json::value(group), "should be a domain with at least one dot"));
  }
  const auto expected = fmt::format("{}.{}", plural, group);
  if (name_of(object) != expected) {
    errors.push_back(invalid_value("metadata.name", json::value(name_of(object)),
                                   "must be spec.names.plural+\".\"+spec.group"));
  }
  if (group.ends_with(".k8s.io") || group == "k8s.io" || group.ends_with(".kubernetes.io") ||
      group == "kubernetes.io") {
    if (text_at(object, {"metadata", "annotations", "api-approved.kubernetes.io"}).empty()) {
      errors.push_back(
          required("metadata.annotations[api-approved.kubernetes.io]",
                   "protected groups must have approval annotation \"api-approved.kubernetes.io\", see "
                   "https://github.com/kubernetes/enhancements/pull/1111"));
    }
  }
  check_names(object, errors);
  check_versions(object, errors);
  if (before != nullptr) check_immutable(object, *before, errors);
}

}  // namespace

const Strategy kDefinition{.has_generation = true,
                           .fill_defaults = fill_definition,
                           .prepare_create = begin_definition,
                           .validate = check_definition};

}  // namespace capstan::apiserver
