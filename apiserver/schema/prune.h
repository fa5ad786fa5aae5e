// What a structural schema does to a custom object before it is validated: unknown fields go, nulls where
// none may be go, defaults come. Pure.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "apiserver/schema/schema.h"

namespace capstan::apiserver {

// The paths of what was dropped, in order of name. The root's metadata is none of its business.
std::vector<std::string> prune_unknown(json::object& resource, const Schema& schema);

void drop_nulls(json::value& value, const Schema& schema);
void apply_defaults(json::value& value, const Schema& schema);

}  // namespace capstan::apiserver
