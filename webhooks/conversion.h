// Puts the conversion webhook on the endpoint, at the path that upstream's CustomResourceDefinitions name.
// Used by the program's wiring, before the server starts; what is added is safe from any thread.
#pragma once

#include "api/v1beta1/convert.h"
#include "webhooks/server.h"

namespace capstan::webhooks {

inline constexpr std::string_view kConvertPath = "/convert";

void add_conversion(Server& server, const api::v1beta1::ApiVersionOf& api_version_of);

// What the path answers; apart from sockets, for tests.
net::HttpResponse answer_convert(const net::ServerRequest& request,
                                 const api::v1beta1::ApiVersionOf& api_version_of);

}  // namespace capstan::webhooks
