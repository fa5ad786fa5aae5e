#include "net/tls.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/pem.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "net/tls_context.h"

namespace capstan::net {
namespace {

constexpr std::string_view kHttp11 = "\x08http/1.1";  // ALPN: length, name

void free_refusal(void*, void* text, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<std::string*>(text);
}

// Where the verification callback leaves its words, per connection.
int refusal_slot() {
  static const int slot = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, free_refusal);
  return slot;
}

bool is_address(const std::string& name) {
  std::array<unsigned char, 16> raw = {};
  return inet_pton(AF_INET, name.c_str(), raw.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), raw.data()) == 1;
}

std::string names_of(const X509* certificate) {
  std::vector<std::string> names = alternative_names(certificate, GEN_DNS);
  const std::vector<std::string> addresses = alternative_names(certificate, GEN_IPADD);
  names.insert(names.end(), addresses.begin(), addresses.end());
  return names.empty() ? "no name at all" : fmt::format("{}", fmt::join(names, ", "));
}

std::string wanted_name(const SSL* ssl) {
  X509_VERIFY_PARAM* rules = SSL_get0_param(const_cast<SSL*>(ssl));
  if (const char* host = X509_VERIFY_PARAM_get0_host(rules, 0)) return host;
  char* address = X509_VERIFY_PARAM_get1_ip_asc(rules);
  std::string text = address == nullptr ? "" : address;
  OPENSSL_free(address);
  return text;
}

// A connection that does not say what stands in a certificate carries a mark.
void quote_nothing(SSL* ssl) {
  static char mark = 0;
  SSL_set_app_data(ssl, &mark);
}
bool quotes_nothing(const SSL* ssl) { return SSL_get_app_data(ssl) != nullptr; }

std::string explain_without_quotes(int error, const SSL* ssl) {
  switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED: return "its certificate has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID: return "its certificate is not valid yet";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return fmt::format("its certificate is not for {}", wanted_name(ssl));
    default: return fmt::format("its certificate is not trusted: {}", X509_verify_cert_error_string(error));
  }
}

std::string explain(const X509* certificate, int error, const SSL* ssl) {
  if (quotes_nothing(ssl)) return explain_without_quotes(error, ssl);
  if (certificate == nullptr) return fmt::format("no certificate: {}", X509_verify_cert_error_string(error));
  const std::string subject = name_text(X509_get_subject_name(certificate));
  const std::string until = utc_text(wall_time(X509_get0_notAfter(certificate)));
  switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return fmt::format("certificate \"{}\" has expired (valid until {})", subject, until);
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return fmt::format("certificate \"{}\" is not valid yet (valid from {} until {})", subject,
                         utc_text(wall_time(X509_get0_notBefore(certificate))), until);
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return fmt::format("certificate \"{}\" is for {}, not for {} (valid until {})", subject,
                         names_of(certificate), wanted_name(ssl), until);
    default:
      return fmt::format("certificate \"{}\" issued by \"{}\" is not trusted: {} (valid until {})", subject,
                         name_text(X509_get_issuer_name(certificate)), X509_verify_cert_error_string(error),
                         until);
  }
}

int verified(int good, X509_STORE_CTX* chain) {
  if (good == 1) return 1;
  auto* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
  if (ssl == nullptr) return 0;
  auto text = std::make_unique<std::string>(
      explain(X509_STORE_CTX_get_current_cert(chain), X509_STORE_CTX_get_error(chain), ssl));
  free_refusal(nullptr, SSL_get_ex_data(ssl, refusal_slot()), nullptr, 0, 0, nullptr);
  SSL_set_ex_data(ssl, refusal_slot(), text.release());
  return 0;
}

// The handshake goes on; what was wrong stays the connection's verify result, so that the peer has no name.
int put_up_with(int, X509_STORE_CTX*) { return 1; }

// Clients such as kubectl offer h2 and http/1.1; we speak the second. A client without ALPN gets HTTP/1.1 as
// well.
int choose_http11(SSL*, const unsigned char** chosen, unsigned char* chosen_length,
                  const unsigned char* offered, unsigned int offered_length, void*) {
  unsigned char* out = nullptr;
  const auto* ours = reinterpret_cast<const unsigned char*>(kHttp11.data());
  const int found = SSL_select_next_proto(&out, chosen_length, ours, static_cast<unsigned>(kHttp11.size()),
                                          offered, offered_length);
  *chosen = out;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

Result<SslContextPtr> new_context(const SSL_METHOD* method) {
  ERR_clear_error();
  SslContextPtr context(SSL_CTX_new(method));
  if (!context) return openssl_failure("make a TLS context");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // NO_AUTO_CHAIN: what we trust in clients is no part of the chain we show.
  SSL_CTX_set_mode(context.get(), SSL_MODE_NO_AUTO_CHAIN | SSL_MODE_RELEASE_BUFFERS |
                                      SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  return context;
}

// As Go does: whatever is in the bundle is an anchor, an intermediate or a leaf too.
Result<void> trust(X509_STORE* store, std::string_view ca_pem) {
  const auto anchors = certificates_from_pem(ca_pem);
  if (anchors.empty()) return fail(Code::Invalid, "read CA certificates: no certificate in the PEM text");
  for (const auto& anchor : anchors) X509_STORE_add_cert(store, anchor.get());
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  ERR_clear_error();
  return {};
}

Result<StorePtr> store_of(std::string_view ca_pem) {
  StorePtr store(X509_STORE_new());
  if (!store) return openssl_failure("make a store of CA certificates");
  if (!ca_pem.empty()) {
    TRY(trust(store.get(), ca_pem));
  } else if (X509_STORE_set_default_paths(store.get()) != 1) {
    return openssl_failure("load the system's CA certificates");
  }
  return store;
}

Result<Credentials> credentials_from(std::string_view certificate_pem, std::string_view key_pem) {
  Credentials own = {.chain = certificates_from_pem(certificate_pem)};
  if (own.chain.empty()) return fail(Code::Invalid, "read certificate: no certificate in the PEM text");
  own.key = TRY(key_from_pem(key_pem));
  X509* leaf = own.chain.front().get();
  const bool fits = X509_check_private_key(leaf, own.key.get()) == 1;
  ERR_clear_error();
  if (fits) return own;
  return fail(Code::Invalid, fmt::format("the private key does not belong to certificate \"{}\"",
                                         name_text(X509_get_subject_name(leaf))));
}

Result<void> show(SSL* ssl, const Credentials& own) {
  if (own.chain.empty()) return {};
  bool done = SSL_use_certificate(ssl, own.chain.front().get()) == 1;
  for (std::size_t i = 1; i < own.chain.size(); ++i)
    done = done && SSL_add1_chain_cert(ssl, own.chain[i].get()) == 1;
  if (!done || SSL_use_PrivateKey(ssl, own.key.get()) != 1) return openssl_failure("use certificate");
  return {};
}

Result<void> ask_for_client_certificate(SSL_CTX* context, const ServerTlsOptions& options) {
  TRY(trust(SSL_CTX_get_cert_store(context), options.client_ca_pem));
  for (const auto& anchor : certificates_from_pem(options.client_ca_pem))
    SSL_CTX_add_client_CA(context, anchor.get());
  const int must = options.require_client_certificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | must,
                     options.strangers == Strangers::Anonymous ? put_up_with : verified);
  return {};
}

// A record in one read instead of two: a thread that waits for the socket has read until nothing was left.
Result<SslContextPtr> new_client_context() {
  SslContextPtr context = TRY(new_context(TLS_client_method()));
  SSL_CTX_set_read_ahead(context.get(), 1);
  SSL_CTX_set_alpn_protos(context.get(), reinterpret_cast<const unsigned char*>(kHttp11.data()),
                          static_cast<unsigned>(kHttp11.size()));
  return context;
}

// Whom a connection trusts and what it shows is set for each connection; nothing is verified with this alone.
Result<SSL_CTX*> client_context() {
  static const Result<SslContextPtr> context = new_client_context();
  if (!context) return std::unexpected(context.error());
  return context->get();
}

}  // namespace

Result<std::shared_ptr<TlsContext>> client_tls(const ClientTlsOptions& options) {
  StorePtr trusted = nullptr;
  if (!options.insecure_skip_verify) trusted = TRY(store_of(options.ca_pem));
  Credentials own = {};
  if (!options.certificate_pem.empty())
    own = TRY(credentials_from(options.certificate_pem, options.private_key_pem.reveal()));
  return std::make_shared<TlsContext>(std::move(trusted), std::move(own), options.quote_certificates);
}

Result<std::shared_ptr<TlsContext>> server_tls(const ServerTlsOptions& options) {
  SslContextPtr context = TRY(new_context(TLS_server_method()));
  Credentials own = TRY(credentials_from(options.certificate_pem, options.private_key_pem.reveal()));
  if (!options.client_ca_pem.empty()) {
    TRY(ask_for_client_certificate(context.get(), options));
  } else if (options.require_client_certificate) {
    return fail(Code::Invalid, "client certificates are required but no CA for them is given");
  }
  if (options.oldest == TlsVersion::Tls13) SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  SSL_CTX_set_num_tickets(context.get(), 0);  // no resumption: a ticket would outlive a rotated client CA
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_alpn_select_cb(context.get(), choose_http11, nullptr);
  return std::make_shared<TlsContext>(std::move(context), std::move(own));
}

Result<SslPtr> TlsContext::client(const std::string& server_name) const {
  ERR_clear_error();
  SslPtr ssl(SSL_new(TRY(client_context())));
  if (!ssl) return openssl_failure("start TLS");
  if (trusted_) {
    SSL_set_verify(ssl.get(), SSL_VERIFY_PEER, verified);
    if (SSL_set1_verify_cert_store(ssl.get(), trusted_.get()) != 1)
      return openssl_failure("use the CA certificates");
  }
  if (!quotes_) quote_nothing(ssl.get());
  TRY(show(ssl.get(), credentials_));
  X509_VERIFY_PARAM* rules = SSL_get0_param(ssl.get());
  X509_VERIFY_PARAM_set_hostflags(rules,
                                  X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  const bool set = is_address(server_name)
                       ? X509_VERIFY_PARAM_set1_ip_asc(rules, server_name.c_str()) == 1
                       : X509_VERIFY_PARAM_set1_host(rules, server_name.data(), server_name.size()) == 1 &&
                             SSL_set_tlsext_host_name(ssl.get(), server_name.c_str()) == 1;
  if (!set) return openssl_failure("set the server's name");
  SSL_set_connect_state(ssl.get());
  return ssl;
}

Result<SslPtr> TlsContext::server() const {
  ERR_clear_error();
  SslPtr ssl(SSL_new(server_.get()));
  if (!ssl) return openssl_failure("start TLS");
  TRY(show(ssl.get(), credentials_));
  SSL_set_accept_state(ssl.get());
  return ssl;
}

std::string refusal(const SSL* ssl) {
  const auto* text = static_cast<const std::string*>(SSL_get_ex_data(ssl, refusal_slot()));
  return text == nullptr ? std::string() : *text;
}

}  // namespace capstan::net
