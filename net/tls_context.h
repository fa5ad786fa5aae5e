// Internal to net/: includes OpenSSL. What a TlsContext is made of, and the words for a certificate that was
// refused.
#pragma once

#include <string>

#include "net/openssl.h"
#include "net/tls.h"

namespace capstan::net {

class TlsContext {
 public:
  explicit TlsContext(SslContextPtr context) : context_(std::move(context)) {}

  // A new connection's TLS state. `server_name` (a DNS name or an IP address) is what the peer's certificate
  // must be for.
  Result<SslPtr> client(const std::string& server_name) const;
  Result<SslPtr> server() const;

 private:
  SslContextPtr context_;
};

// Why the peer's certificate was refused ("certificate CN=a has expired (valid until ...)"), empty when it
// was not.
std::string refusal(const SSL* ssl);

}  // namespace capstan::net
