// A request for a certificate (PKCS #10): what a machine asks the signer of a cluster with. P-256 keys, all
// as PEM text. Pure apart from the randomness of keys; safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "net/pki.h"

namespace capstan::net {

Result<Secret<std::string>> new_private_key();
// Signed by that key.
Result<std::string> certificate_request(const Subject& subject, const Secret<std::string>& private_key_pem);
// Whether the certificate is for that key: another one is of no use with it.
bool belong_together(std::string_view certificate_pem, const Secret<std::string>& private_key_pem);

}  // namespace capstan::net
