#include "apiserver/present/partial_metadata.h"

#include "apiserver/document/document.h"

namespace capstan::apiserver {

json::object partial_metadata(const json::object& object) {
  const auto* metadata = object_at(object, {"metadata"});
  return {{"kind", "PartialObjectMetadata"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", metadata == nullptr ? json::object() : *metadata}};
}

json::object partial_metadata_list(const std::vector<ObjectPtr>& objects, const json::object* list_metadata) {
  json::array items;
  items.reserve(objects.size());
  for (const auto& object : objects) items.push_back(partial_metadata(*object));
  return {{"kind", "PartialObjectMetadataList"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", list_metadata == nullptr ? json::object() : *list_metadata},
          {"items", std::move(items)}};
}

}  // namespace capstan::apiserver
