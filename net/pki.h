// Keys and certificates, all as PEM text: P-256 keys, a CA of our own, certificates for servers and
// clients. The only X.509 code of the project. Time comes in as a value. Pure apart from randomness; safe
// from any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "base/secret.h"

namespace capstan::net {

struct KeyAndCertificate {
  std::string certificate_pem = {};
  Secret<std::string> private_key_pem = {};
};

struct Subject {
  std::string common_name = {};
  std::vector<std::string> organizations = {};
};

struct CertificateUse {
  Subject subject = {};
  std::vector<std::string> dns_names = {};
  std::vector<std::string> ip_addresses = {};
  bool server = false;
  bool client = false;
  WallTime not_before = {};
  WallTime not_after = {};
};

// What a certificate says, in words.
struct CertificateFacts {
  std::string subject = {};  // "CN=a,O=b"
  std::string issuer = {};
  std::string common_name = {};
  std::vector<std::string> organizations = {};
  std::vector<std::string> dns_names = {};
  std::vector<std::string> ip_addresses = {};
  WallTime not_before = {};
  WallTime not_after = {};
  bool is_ca = false;
  std::string public_key_pem = {};
};

Result<KeyAndCertificate> new_ca(std::string_view common_name, WallTime not_before, WallTime not_after);
// A new key and its certificate, signed by `ca`.
Result<KeyAndCertificate> issue(const KeyAndCertificate& ca, const CertificateUse& use);

Result<CertificateFacts> read_certificate(std::string_view pem);  // the first one in the text
Result<void> check_issued_by(std::string_view certificate_pem, std::string_view ca_pem);

}  // namespace capstan::net
