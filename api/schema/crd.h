// The CustomResourceDefinition of a kind, from its struct and its ResourceInfo. Used by cmd/crdgen and by
// tests that install our kinds. Several versions of one kind become one document.
#pragma once

#include <boost/json/fwd.hpp>
#include <span>
#include <string>

#include "api/schema/field.h"
#include "api/schema/resource.h"

namespace capstan::api {

// One served version: a struct and its table, without its type.
struct CrdVersion {
  const ResourceInfo* resource = nullptr;
  const TypeInfo* type = nullptr;
};

template <detail::Described T>
  requires detail::HasResource<T>
constexpr CrdVersion crd_version() {
  return {.resource = &resource<T>, .type = &type_of<T>};
}

// The first version names the kind.
boost::json::value crd(std::span<const CrdVersion> versions);
// "cluster.x-k8s.io_machines.yaml"
std::string crd_file_name(const ResourceInfo& resource);

// `Value` and `Versions` only put the call off until boost::json::value is complete.
template <typename T, typename Value = boost::json::value, typename Versions = std::span<const CrdVersion>>
Value crd() {
  static constexpr CrdVersion version = crd_version<T>();
  return crd(Versions(&version, 1));
}

}  // namespace capstan::api
