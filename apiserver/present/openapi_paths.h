// The paths of an OpenAPI document: one resource with its subresources, and what can be done there. kubectl
// reads actions, kinds, content types of patches and query parameters from them. Used by openapi.cc. Pure.
#pragma once

#include <boost/json.hpp>
#include <functional>
#include <string>

#include "apiserver/present/subresource.h"
#include "apiserver/store/resource_type.h"

namespace capstan::apiserver {

namespace json = boost::json;

// `component` names the kind's schema, `body_of` the schema of a subresource's body.
void add_paths(const ResourceType& type, const ServedVersion& version, const std::string& component,
               const std::function<std::string(const Subresource&)>& body_of, json::object& paths);

}  // namespace capstan::apiserver
