// From an HTTP request to what it asks of the Api: path, method, query, body. Pure functions.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/request.h"
#include "net/http_message.h"

namespace capstan::apiserver {

// The segments of a path, decoded: "/api/v1/pods" is {"api", "v1", "pods"}. Empty ones are left out.
std::vector<std::string> path_segments(std::string_view path);

// The request about objects that this is, complete but for its user; nothing when the path is not of that
// form (discovery, health). An error is the answer to send.
std::optional<std::expected<Request, Response>> object_request(const net::ServerRequest& http);

}  // namespace capstan::apiserver
