// Request bodies: JSON or YAML bytes into a document, noticing fields that stand twice. Pure functions.
#pragma once

#include <expected>
#include <string_view>

#include "apiserver/request.h"

namespace capstan::apiserver {

// `content_type` may carry parameters; anything that says yaml is read as YAML (JSON is YAML too). The error
// is a 400 or 415.
std::expected<Body, Response> decode_body(std::string_view content_type, std::string_view bytes);

}  // namespace capstan::apiserver
