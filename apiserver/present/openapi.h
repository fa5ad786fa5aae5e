// OpenAPI documents of everything that is served: for kubectl explain, and for kubectl apply and create,
// which look up patch types and query parameters. The HTTP layer calls these. Made of what the Api serves
// now; nothing changes.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/api.h"

namespace capstan::apiserver {

namespace json = boost::json;

// /openapi/v3: where the document of each group and version is, with a hash that changes with its content.
json::object openapi_index(const Api& api);
// /openapi/v3/PATH: "api/v1", "apis/G/V"; nothing when no kind is served there.
std::optional<json::object> openapi_document(const Api& api, std::string_view path);

// /openapi/v2, which kubectl reads before it applies a `kind: List`: of what is defined there it checks the
// fields itself. Ours defines nothing, so that every object is left to the server's own check.
json::object openapi_v2();
std::string openapi_v2_protobuf();  // the only form that kubectl asks for
inline constexpr std::string_view kOpenApiV2Protobuf =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
bool wants_openapi_protobuf(std::string_view accept);

}  // namespace capstan::apiserver
