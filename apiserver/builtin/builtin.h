// The built-in kinds: rows of data over the tables of types. Made once; immutable, safe from any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "apiserver/store/registry.h"

namespace capstan::apiserver {

std::vector<Kind> builtin_kinds();

// A type of the tables by its full name: "io.k8s.api.autoscaling.v1.Scale".
SchemaPtr builtin_type(const std::string& full_name);
// All of them (for OpenAPI).
const std::map<std::string, SchemaPtr>& builtin_types();

}  // namespace capstan::apiserver
