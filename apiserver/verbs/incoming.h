// From a request body to an object we would store: group, kind and types checked, unknown fields dropped or
// refused, defaults filled in. Pure but for the core's tables; used by every write.
#pragma once

#include <string>
#include <vector>

#include "apiserver/core.h"

namespace capstan::apiserver {

using Warnings = std::vector<std::string>;

// Is the body an object of the kind the path names? Its apiVersion and kind are filled in when they are
// missing.
Answer<json::object> expected_object(const Target& target, const Body& body);

// Prunes, checks types and fills in defaults; `body` shows duplicate fields. Field validation is as the
// query says.
Answer<json::object> shaped(const Core& core, const Target& target, json::object object,
                            const Request& request, Warnings& warnings);

// The same without complaining: for what a patch or an apply made of a stored object.
void fill_defaults(const Core& core, const Target& target, json::object& object);

}  // namespace capstan::apiserver
