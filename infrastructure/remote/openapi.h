// The protocol as an OpenAPI 3.0 document, from the descriptors of its messages: what `capstan-dev driver
// --openapi` prints, for generators of clients and servers. Pure.
#pragma once

#include <string>

namespace capstan::infrastructure::remote {

std::string openapi_text();  // YAML

}  // namespace capstan::infrastructure::remote
