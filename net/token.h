// Signed tokens (JWT, ES256) such as service accounts carry. The payload is JSON text that the caller makes
// and reads. Pure apart from the signature's randomness; safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"

namespace capstan::net {

// A P-256 key of net/pki.h; `key_id` names the key to the verifier.
Result<std::string> sign_token(const Secret<std::string>& private_key_pem, std::string_view key_id,
                               std::string_view payload);
// The payload. Checks the signature only: expiry and audience are the caller's, who knows the time.
Result<std::string> verify_token(std::string_view public_key_pem, std::string_view token);
Result<std::string> token_key_id(std::string_view token);

}  // namespace capstan::net
