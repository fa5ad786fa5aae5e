// Base64 as Secrets and kubeconfigs carry it (RFC 4648, padded). Decoding ignores line breaks, as Go does;
// the URL alphabet without padding is for tokens. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace capstan {

std::string base64_encode(std::string_view bytes);
Result<std::string> base64_decode(std::string_view text);

std::string base64url_encode(std::string_view bytes);
Result<std::string> base64url_decode(std::string_view text);

}  // namespace capstan
