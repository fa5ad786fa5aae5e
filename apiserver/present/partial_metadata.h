// PartialObjectMetadata: objects cut down to their metadata, for clients that ask for no more. Pure
// functions.
#pragma once

#include <boost/json.hpp>
#include <vector>

#include "apiserver/request.h"

namespace capstan::apiserver {

namespace json = boost::json;

json::object partial_metadata(const json::object& object);
// The list form; null metadata for a list that has none.
json::object partial_metadata_list(const std::vector<ObjectPtr>& objects, const json::object* list_metadata);

}  // namespace capstan::apiserver
