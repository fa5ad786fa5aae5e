// OpenAPI v3 documents of everything that is served: for kubectl explain, and for kubectl apply and create,
// which look up patch types and query parameters. The HTTP layer calls these and may keep the answers until
// types_generation() moves. Pure functions of what the Api serves now.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string_view>

#include "apiserver/api.h"

namespace capstan::apiserver {

namespace json = boost::json;

// /openapi/v3: where the document of each group and version is, with a hash that changes with its content.
json::object openapi_index(const Api& api);
// /openapi/v3/PATH: "api/v1", "apis/G/V"; nothing when no kind is served there.
std::optional<json::object> openapi_document(const Api& api, std::string_view path);

}  // namespace capstan::apiserver
