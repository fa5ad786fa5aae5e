// Who trusts whom: what each refusal says, and who the peer is.
#include "net/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/openssl.h"
#include "net/test_support.h"

namespace capstan::net {
namespace {

using std::chrono::hours;
using testing::AllOf;
using testing::HasSubstr;

// Answers "CN|O,O", or "anonymous".
std::unique_ptr<HttpServer> who_am_i(IoPool& io, std::shared_ptr<TlsContext> tls) {
  return serve(io, {.tls = std::move(tls)}, [](const ServerRequest& request, Responder& responder) {
    std::string text = request.peer ? request.peer->common_name + "|" : "anonymous";
    if (request.peer) {
      for (const auto& one : request.peer->organizations) text += one + ",";
    }
    responder.respond({.status = 200, .body = text});
  });
}

Error refused(IoPool& io, const HttpClientOptions& options) {
  const auto answer = HttpClient(io, options).request({}, soon());
  if (answer) ADD_FAILURE() << "accepted";
  return answer ? Error{} : answer.error();
}

std::string at(const HttpServer& server) { return "127.0.0.1:" + std::to_string(server.port()); }

TEST(Tls, RefusesAnExpiredCertificateAndSaysSinceWhen) {
  IoPool io;
  const TestPki pki;
  const WallTime end = std::chrono::sys_days(std::chrono::year(2020) / 1 / 2) + hours(3);
  const auto server = echo_server(io, {.tls = pki.server({.subject = {.common_name = "old"},
                                                          .ip_addresses = {"127.0.0.1"},
                                                          .not_before = end - hours(24),
                                                          .not_after = end})});

  const Error error = refused(io, tls_client(server->port(), pki.client()));

  EXPECT_EQ(error.code, Code::Unauthorized);
  EXPECT_EQ(error.message, "tls handshake " + at(*server) +
                               ": certificate \"CN=old\" has expired (valid until 2020-01-02T03:00:00Z)");
  EXPECT_FALSE(error.outcome_unknown);
}

TEST(Tls, RefusesACertificateThatIsNotValidYet) {
  IoPool io;
  const TestPki pki;
  const auto server = echo_server(io, {.tls = pki.server({.ip_addresses = {"127.0.0.1"},
                                                          .not_before = pki.now() + hours(1),
                                                          .not_after = pki.now() + hours(2)})});

  EXPECT_THAT(refused(io, tls_client(server->port(), pki.client())).message,
              HasSubstr("is not valid yet (valid from "));
}

TEST(Tls, RefusesACertificateForAnotherAddress) {
  IoPool io;
  const TestPki pki;
  const auto server =
      echo_server(io, {.tls = pki.server({.dns_names = {"a.example"}, .ip_addresses = {"10.0.0.1"}})});

  EXPECT_THAT(
      refused(io, tls_client(server->port(), pki.client())).message,
      HasSubstr("certificate \"CN=server\" is for a.example, 10.0.0.1, not for 127.0.0.1 (valid until "));
}

TEST(Tls, ChecksTheServerNameThatWasAskedFor) {
  IoPool io;
  const TestPki pki;
  const auto server = echo_server(io, {.tls = pki.server({.dns_names = {"*.example.com"}})});
  auto good = tls_client(server->port(), pki.client());
  good.origin.server_name = "api.example.com";
  auto bad = good;
  bad.origin.server_name = "api.example.org";

  EXPECT_EQ(value_of(HttpClient(io, good).request({}, soon())).status, 200);
  EXPECT_THAT(refused(io, bad).message, HasSubstr("is for *.example.com, not for api.example.org"));
}

TEST(Tls, DoesNotTakeTheCommonNameForAHostName) {
  IoPool io;
  const TestPki pki;
  const auto server =
      echo_server(io, {.tls = pki.server({.subject = {.common_name = "127.0.0.1"}, .dns_names = {"other"}})});

  EXPECT_THAT(refused(io, tls_client(server->port(), pki.client())).message, HasSubstr("not for 127.0.0.1"));
}

TEST(Tls, RefusesACertificateOfAnUnknownAuthority) {
  IoPool io;
  const TestPki theirs;
  const TestPki ours;
  const auto server = echo_server(io, {.tls = theirs.server()});

  const Error error = refused(io, tls_client(server->port(), ours.client()));

  EXPECT_EQ(error.code, Code::Unauthorized);
  EXPECT_THAT(error.message,
              AllOf(HasSubstr("certificate \"CN=server\" issued by \"CN=test CA\" is not trusted: "),
                    HasSubstr("(valid until ")));
}

TEST(Tls, ClientsOfOneProcessTrustEachTheirOwnAuthority) {
  IoPool io;
  const TestPki theirs;
  const TestPki ours;
  const auto server = who_am_i(io, ours.server());
  const auto careless = value_of(client_tls({.insecure_skip_verify = true}));
  const auto known = ours.client(ours.client_certificate({.common_name = "admin"}));

  EXPECT_EQ(value_of(HttpClient(io, tls_client(server->port(), careless)).request({}, soon())).status, 200);
  EXPECT_EQ(value_of(HttpClient(io, tls_client(server->port(), known)).request({}, soon())).body, "admin|");
  EXPECT_EQ(refused(io, tls_client(server->port(), theirs.client())).code, Code::Unauthorized);
  EXPECT_EQ(value_of(HttpClient(io, tls_client(server->port(), ours.client())).request({}, soon())).body,
            "anonymous");
}

TEST(Tls, DoesNotQuoteACertificateWhereItIsToldNotTo) {
  IoPool io;
  const TestPki theirs;
  const TestPki ours;
  const auto stranger = echo_server(io, {.tls = theirs.server()});
  const auto misnamed = echo_server(
      io, {.tls = ours.server({.subject = {.common_name = "vault"}, .dns_names = {"vault.internal"}})});
  const auto quiet = value_of(client_tls({.ca_pem = ours.ca().certificate_pem, .quote_certificates = false}));

  EXPECT_EQ(refused(io, tls_client(stranger->port(), quiet)).message,
            "tls handshake " + at(*stranger) +
                ": its certificate is not trusted: unable to get local issuer certificate");
  EXPECT_EQ(refused(io, tls_client(misnamed->port(), quiet)).message,
            "tls handshake " + at(*misnamed) + ": its certificate is not for 127.0.0.1");
}

TEST(Tls, TrustsWhateverStandsInTheBundleAsGoDoes) {
  IoPool io;
  const TestPki pki;
  const auto pair = pki.server_certificate();
  const auto server =
      echo_server(io, {.tls = value_of(server_tls({.certificate_pem = pair.certificate_pem,
                                                   .private_key_pem = pair.private_key_pem}))});
  const auto leaf_only = value_of(client_tls({.ca_pem = pair.certificate_pem}));

  EXPECT_EQ(value_of(HttpClient(io, tls_client(server->port(), leaf_only)).request({}, soon())).status, 200);
}

TEST(Tls, SkipsVerificationOnlyWhenAUserSaysSo) {
  IoPool io;
  const TestPki theirs;
  const auto server = echo_server(io, {.tls = theirs.server({.dns_names = {"elsewhere"}})});
  const auto careless = value_of(client_tls({.insecure_skip_verify = true}));

  EXPECT_EQ(value_of(HttpClient(io, tls_client(server->port(), careless)).request({}, soon())).status, 200);
}

TEST(Tls, TheServerKnowsItsPeerByCertificate) {
  IoPool io;
  const TestPki pki;
  const auto server = who_am_i(io, pki.server());
  const auto admin =
      pki.client_certificate({.common_name = "admin", .organizations = {"system:masters", "ops"}});

  HttpClient known(io, tls_client(server->port(), pki.client(admin)));
  HttpClient unknown(io, tls_client(server->port(), pki.client()));

  EXPECT_EQ(value_of(known.request({}, soon())).body, "admin|system:masters,ops,");
  EXPECT_EQ(value_of(unknown.request({}, soon())).body, "anonymous");
}

TEST(Tls, RefusesClientsWithoutACertificateWhenOneIsRequired) {
  IoPool io;
  const TestPki pki;
  const auto server = who_am_i(io, pki.server({}, true));
  const auto known = pki.client_certificate({.common_name = "known"});

  const Error error = refused(io, tls_client(server->port(), pki.client()));

  EXPECT_EQ(error.code, Code::Unauthorized);
  EXPECT_THAT(error.message, HasSubstr("the peer did not accept our certificate: "));
  EXPECT_EQ(value_of(HttpClient(io, tls_client(server->port(), pki.client(known))).request({}, soon())).body,
            "known|");
}

TEST(Tls, RefusesClientCertificatesOfAnotherAuthority) {
  IoPool io;
  const TestPki pki;
  const TestPki other;
  const auto server = who_am_i(io, pki.server());
  const auto stranger =
      other.client_certificate({.common_name = "admin", .organizations = {"system:masters"}});

  EXPECT_EQ(refused(io, tls_client(server->port(), pki.client(stranger))).code, Code::Unauthorized);
}

TEST(Tls, RefusesAServerCertificateShownByAClient) {
  IoPool io;
  const TestPki pki;
  const auto server = who_am_i(io, pki.server());

  EXPECT_EQ(refused(io, tls_client(server->port(), pki.client(pki.server_certificate()))).code,
            Code::Unauthorized);
}

TEST(Tls, AServerMayTakeStrangersForNobody) {
  IoPool io;
  const TestPki pki;
  const TestPki other;
  const auto ours = pki.server_certificate();
  const auto server = who_am_i(io, value_of(server_tls({.certificate_pem = ours.certificate_pem,
                                                        .private_key_pem = ours.private_key_pem,
                                                        .client_ca_pem = pki.ca().certificate_pem,
                                                        .strangers = Strangers::Anonymous})));
  const Subject admin{.common_name = "admin", .organizations = {"system:masters"}};
  const auto known = pki.client_certificate(admin);
  const auto expired = value_of(issue(pki.ca(), {.subject = admin,
                                                 .client = true,
                                                 .not_before = pki.now() - std::chrono::hours(2),
                                                 .not_after = pki.now() - std::chrono::hours(1)}));
  const auto says = [&](const KeyAndCertificate& shown) {
    return value_of(HttpClient(io, tls_client(server->port(), pki.client(shown))).request({}, soon())).body;
  };

  EXPECT_EQ(says(known), "admin|system:masters,");
  EXPECT_EQ(says(other.client_certificate(admin)), "anonymous") << "of another authority";
  EXPECT_EQ(says(expired), "anonymous") << "expired";
  EXPECT_EQ(says(ours), "anonymous") << "not made for clients";
}

TEST(Tls, NewConnectionsUseTheNewCertificate) {
  IoPool io;
  const TestPki before;
  const TestPki after;
  const auto server = echo_server(io, {.tls = before.server()});
  HttpClient client(io, tls_client(server->port(), before.client()));
  ASSERT_TRUE(client.request({}, soon()));

  server->use_tls(after.server());
  ASSERT_TRUE(client.request({}, soon())) << "the open connection goes on";
  client.use_tls(after.client());

  const auto answer = client.request({}, soon());
  EXPECT_TRUE(answer) << answer.error().message;
}

TEST(Tls, ContextsRefuseKeysAndCertificatesThatDoNotFit) {
  const TestPki pki;
  const auto one = pki.server_certificate();
  const auto two = pki.server_certificate();

  const auto mixed =
      server_tls({.certificate_pem = one.certificate_pem, .private_key_pem = two.private_key_pem});
  const auto empty = server_tls({});
  const auto no_ca = client_tls({.ca_pem = "no certificate"});
  const auto no_client_ca = server_tls({.certificate_pem = one.certificate_pem,
                                        .private_key_pem = one.private_key_pem,
                                        .require_client_certificate = true});

  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().message, "the private key does not belong to certificate \"CN=server\"");
  EXPECT_FALSE(empty);
  EXPECT_FALSE(no_ca);
  EXPECT_FALSE(no_client_ca);
}

// What the server chooses among `offered`: ALPN names, each after its length. Nothing when the handshake
// fails.
std::optional<std::string> chosen_protocol(std::uint16_t port, std::string_view offered) {
  const SslContextPtr context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_alpn_protos(context.get(), reinterpret_cast<const unsigned char*>(offered.data()),
                          static_cast<unsigned>(offered.size()));
  const BioPtr connection(BIO_new_ssl_connect(context.get()));
  BIO_set_conn_hostname(connection.get(), ("127.0.0.1:" + std::to_string(port)).c_str());
  if (BIO_do_connect(connection.get()) != 1 || BIO_do_handshake(connection.get()) != 1) return std::nullopt;
  SSL* ssl = nullptr;
  BIO_get_ssl(connection.get(), &ssl);
  const unsigned char* name = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(ssl, &name, &length);
  return std::string(reinterpret_cast<const char*>(name), length);
}

TEST(Tls, ChoosesHttp11AmongWhatGoClientsOffer) {
  IoPool io;
  const TestPki pki;
  const auto server = echo_server(io, {.tls = pki.server()});

  EXPECT_EQ(chosen_protocol(server->port(), "\x02h2\x08http/1.1"), "http/1.1");
  EXPECT_EQ(chosen_protocol(server->port(), ""), "");
  EXPECT_EQ(chosen_protocol(server->port(), "\x02h2"), std::nullopt);
}

// How a handshake ends with a client that speaks TLS 1.2 at most.
bool accepts_tls12(std::uint16_t port) {
  const SslContextPtr context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
  const BioPtr connection(BIO_new_ssl_connect(context.get()));
  BIO_set_conn_hostname(connection.get(), ("127.0.0.1:" + std::to_string(port)).c_str());
  return BIO_do_connect(connection.get()) == 1 && BIO_do_handshake(connection.get()) == 1;
}

TEST(Tls, ServersMaySpeakTls13Only) {
  IoPool io;
  const TestPki pki;
  const auto own = pki.server_certificate();
  const auto modern = value_of(server_tls({.certificate_pem = own.certificate_pem,
                                           .private_key_pem = own.private_key_pem,
                                           .oldest = TlsVersion::Tls13}));
  const auto strict = echo_server(io, {.tls = modern});
  const auto usual = echo_server(io, {.tls = pki.server()});

  EXPECT_FALSE(accepts_tls12(strict->port()));
  EXPECT_TRUE(accepts_tls12(usual->port()));
}

TEST(Tls, AServerThatSpeaksNoTlsIsAnErrorWithItsName) {
  IoPool io;
  const TestPki pki;
  const auto server = echo_server(io);

  const Error error = refused(io, tls_client(server->port(), pki.client()));

  EXPECT_EQ(error.code, Code::Unavailable);
  EXPECT_THAT(error.message, HasSubstr("tls handshake " + at(*server) + ": wrong version number"));
}

}  // namespace
}  // namespace capstan::net
