// Schemas as OpenAPI v3 components: the kinds of one group and version with every type they refer to. Used by
// openapi.cc. One thread.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "apiserver/store/resource_type.h"

namespace capstan::apiserver {

namespace json = boost::json;

class OpenApiComponents {
 public:
  // The kind and its list; returns the component's name.
  std::string add_kind(const ResourceType& type, const ServedVersion& version);
  // A built-in type that is the body of a subresource: autoscaling/v1 Scale.
  std::string add_body(std::string_view group, std::string_view version, std::string_view kind);
  // Status, DeleteOptions and Patch, which the operations refer to.
  void add_machinery();

  json::object schemas() && { return std::move(schemas_); }

 private:
  void add_builtin(const Schema& schema);
  json::object builtin_type(const Schema& schema);   // what is inside the component
  json::object builtin_value(const Schema& schema);  // a field: often a reference
  json::object reference(const std::string& name);
  void say_kind(json::object& schema, std::string_view group, std::string_view version,
                std::string_view kind);
  void add_list(const ResourceType& type, std::string_view version, const std::string& element);
  void refer_to_metadata(json::object& schema);

  json::object schemas_ = {};
};

// {"$ref": "#/components/schemas/NAME"}
json::object schema_reference(std::string_view name);
// "dev.example.v1.Widget" for custom kinds, "io.k8s.api.core.v1.Pod" for the others.
std::string component_name(const ResourceType& type, const ServedVersion& version);

inline constexpr std::string_view kStatusComponent = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
inline constexpr std::string_view kDeleteOptionsComponent =
    "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
inline constexpr std::string_view kPatchComponent = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";

}  // namespace capstan::apiserver
