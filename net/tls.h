// TLS contexts: who we trust, who we are. TLS 1.2 or newer, verification always on unless a user's own
// kubeconfig says otherwise. Immutable once made, shared between connections; rotation makes a new one.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/secret.h"

namespace capstan::net {

class TlsContext;

// The oldest version that is spoken.
enum class TlsVersion { Tls12, Tls13 };

struct ClientTlsOptions {
  std::string ca_pem = {};           // empty: the system's roots
  std::string certificate_pem = {};  // chain, may be empty
  Secret<std::string> private_key_pem = {};
  bool insecure_skip_verify = false;  // only ever from a user's kubeconfig
  bool quote_certificates = true;     // errors say what stands in the server's
};

// What a client is whose certificate is not good: turned away in the handshake, or taken for one that showed
// none. An API server does the second: the answer is a 401 that says so, and a token may still count.
enum class Strangers { TurnedAway, Anonymous };

struct ServerTlsOptions {
  std::string certificate_pem = {};
  Secret<std::string> private_key_pem = {};
  std::string client_ca_pem = {};  // empty: client certificates are not asked for
  bool require_client_certificate = false;
  Strangers strangers = Strangers::TurnedAway;
  TlsVersion oldest = TlsVersion::Tls12;
};

Result<std::shared_ptr<TlsContext>> client_tls(const ClientTlsOptions& options);
Result<std::shared_ptr<TlsContext>> server_tls(const ServerTlsOptions& options);

}  // namespace capstan::net
