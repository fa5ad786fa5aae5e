#include "apiserver/store/crd_kinds.h"

#include <algorithm>

#include "apiserver/document/document.h"
#include "apiserver/schema/parse.h"
#include "apiserver/store/crd_status.h"

namespace capstan::apiserver {
namespace {

const std::vector<std::string> kVerbs = {"delete", "deletecollection", "get",    "list",
                                         "patch",  "create",           "update", "watch"};

std::vector<std::string> texts_at(const json::object& from, Path path) {
  std::vector<std::string> texts;
  if (const auto* array = array_at(from, path)) {
    for (const auto& one : *array) texts.emplace_back(text_of(one));
  }
  return texts;
}

Column column_of(const json::object& from) {
  return {.name = std::string(text_at(from, {"name"})),
          .type = std::string(text_at(from, {"type"})),
          .format = std::string(text_at(from, {"format"})),
          .description = std::string(text_at(from, {"description"})),
          .priority = static_cast<std::int32_t>(integer_at(from, {"priority"}).value_or(0)),
          .json_path = std::string(text_at(from, {"jsonPath"}))};
}

std::optional<ScalePaths> scale_of(const json::object& version) {
  const auto* scale = object_at(version, {"subresources", "scale"});
  if (scale == nullptr) return {};
  return ScalePaths{.spec_replicas = std::string(text_at(*scale, {"specReplicasPath"})),
                    .status_replicas = std::string(text_at(*scale, {"statusReplicasPath"})),
                    .label_selector = std::string(text_at(*scale, {"labelSelectorPath"}))};
}

ServedVersion version_of_crd(const json::object& from) {
  ServedVersion version{.name = std::string(text_at(from, {"name"})),
                        .served = flag_at(from, {"served"}),
                        .storage = flag_at(from, {"storage"}),
                        .deprecated = flag_at(from, {"deprecated"}),
                        .deprecation_warning = std::string(text_at(from, {"deprecationWarning"})),
                        .schema = parse_schema(find(from, {"schema", "openAPIV3Schema"})),
                        .has_status = object_at(from, {"subresources", "status"}) != nullptr,
                        .scale = scale_of(from)};
  if (const auto* columns = array_at(from, {"additionalPrinterColumns"})) {
    for (const auto& column : *columns) {
      if (column.is_object()) version.columns.push_back(column_of(column.get_object()));
    }
  }
  if (const auto* fields = array_at(from, {"selectableFields"})) {
    for (const auto& field : *fields) {
      if (field.is_object())
        version.selectable_fields.emplace_back(text_at(field.get_object(), {"jsonPath"}));
    }
  }
  return version;
}

}  // namespace

TypePtr type_of_crd(const json::object& crd) {
  auto type = std::make_shared<ResourceType>();
  type->custom = true;
  type->group = text_at(crd, {"spec", "group"});
  type->plural = text_at(crd, {"spec", "names", "plural"});
  type->singular = text_at(crd, {"spec", "names", "singular"});
  type->kind = text_at(crd, {"spec", "names", "kind"});
  type->list_kind = text_at(crd, {"spec", "names", "listKind"});
  if (type->list_kind.empty()) type->list_kind = type->kind + "List";
  type->short_names = texts_at(crd, {"spec", "names", "shortNames"});
  type->categories = texts_at(crd, {"spec", "names", "categories"});
  type->namespaced = text_at(crd, {"spec", "scope"}) == "Namespaced";
  type->verbs = kVerbs;
  if (const auto* versions = array_at(crd, {"spec", "versions"})) {
    for (const auto& version : *versions) {
      if (version.is_object()) type->versions.push_back(version_of_crd(version.get_object()));
    }
  }
  if (const auto* conversion = find(crd, {"spec", "conversion"})) {
    type->conversion = std::make_shared<const json::value>(*conversion);
  }
  return type;
}

void follow_crd(Core& core, std::string_view name) {
  const StoredKey key{.name = std::string(name)};
  const auto stored = core.storage.find(kCrdCollection, key);
  if (!stored) {
    const auto dot = name.find('.');
    if (dot != std::string_view::npos) core.registry.remove_custom(name.substr(dot + 1), name.substr(0, dot));
    return;
  }
  auto accepted = with_crd_status(core, *stored);
  if (crd_established(accepted)) {
    const auto before = core.registry.find(text_at(*stored, {"spec", "group"}),
                                           text_at(*stored, {"spec", "names", "plural"}));
    const bool same_spec =
        before && before.since != 0 && before.definition_generation == crd_generation(*stored);
    if (!same_spec) core.storage.begin(name);
    if (!same_spec)
      core.registry.add_custom(type_of_crd(*stored), core.storage.version(), crd_generation(*stored));
    // A deletion of the definition meanwhile may have taken the kind away before it was added.
    if (!core.storage.find(kCrdCollection, key)) return follow_crd(core, name);
  }
  if (accepted != *stored) core.storage.replace(kCrdCollection, key, stored, std::move(accepted));
}

}  // namespace capstan::apiserver
