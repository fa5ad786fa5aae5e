// CustomResourceDefinition: only its metadata, whose labels say which contract a provider's kind keeps
// (api/contract/version.h). A projection, a plain value.
#pragma once

#include "api/meta/object_meta.h"
#include "api/schema/resource.h"

namespace capstan::api {

struct CustomResourceDefinition {
  ObjectMeta metadata = {};
  bool operator==(const CustomResourceDefinition&) const = default;
};
template <>
inline constexpr ResourceInfo resource<CustomResourceDefinition> = {.group = "apiextensions.k8s.io",
                                                                    .version = "v1",
                                                                    .kind = "CustomResourceDefinition",
                                                                    .plural = "customresourcedefinitions",
                                                                    .scope = Scope::Cluster,
                                                                    .status_subresource = true};
template <>
inline constexpr auto members<CustomResourceDefinition> =
    std::array{member<&CustomResourceDefinition::metadata>("metadata")};

// Found by the informer (runtime/informer.h): kubectl apply repeats the whole definition in an annotation.
inline void keep_what_is_read(CustomResourceDefinition& definition) {
  definition.metadata.annotations = {};
  definition.metadata.managed_fields = {};
}

}  // namespace capstan::api
