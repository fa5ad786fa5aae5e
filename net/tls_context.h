// Internal to net/: includes OpenSSL. What a TlsContext is made of, and the words for a certificate that was
// refused.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "net/openssl.h"
#include "net/tls.h"

namespace capstan::net {

// The chain that is shown to a peer, and its key; empty where none is.
struct Credentials {
  std::vector<CertificatePtr> chain = {};
  KeyPtr key = nullptr;
};

// Servers have an OpenSSL context of their own. Clients share one in a process, 13 KB less for each of them:
// whom a connection trusts and what it shows is set when it is made.
class TlsContext {
 public:
  TlsContext(SslContextPtr server, Credentials own)
      : server_(std::move(server)), credentials_(std::move(own)) {}
  // Without `trusted` the peer is not verified.
  TlsContext(StorePtr trusted, Credentials own, bool quotes)
      : trusted_(std::move(trusted)), credentials_(std::move(own)), quotes_(quotes) {}

  // A new connection's TLS state. `server_name` (a DNS name or an IP address) is what the peer's certificate
  // must be for.
  Result<SslPtr> client(const std::string& server_name) const;
  Result<SslPtr> server() const;

 private:
  SslContextPtr server_ = nullptr;
  StorePtr trusted_ = nullptr;
  Credentials credentials_ = {};
  bool quotes_ = true;
};

// Why the peer's certificate was refused ("certificate CN=a has expired (valid until ...)"), empty when it
// was not.
std::string refusal(const SSL* ssl);

}  // namespace capstan::net
