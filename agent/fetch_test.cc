#include "agent/fetch.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include "agent/checksum.h"
#include "agent/machine_fixture.h"
#include "net/test_support.h"

namespace capstan::agent {
namespace {

using ::testing::HasSubstr;

// A server of programs whose CA is one of the system's roots.
class FetchTest : public ::testing::Test {
 protected:
  FetchTest() {
    machine_.put("/roots.pem", pki_.ca().certificate_pem);
    setenv("SSL_CERT_FILE", machine_.at("/roots.pem").c_str(), 1);
    server_ = net::value_of(net::HttpServer::listen(
        io_, {.tls = pki_.server()}, [this](const net::ServerRequest& request, net::Responder& responder) {
          answer(request, responder);
        }));
  }
  ~FetchTest() override { unsetenv("SSL_CERT_FILE"); }

  void answer(const net::ServerRequest& request, net::Responder& responder) const {
    if (request.target == "/kubelet?arch=amd64") return responder.respond({.status = 200, .body = program_});
    const std::string moved =
        request.target == "/insecure" ? "http://127.0.0.1/kubelet" : url(request.target);
    if (request.target == "/moved") return responder.respond(redirection(url("/kubelet?arch=amd64")));
    if (request.target == "/missing") return responder.respond({.status = 404, .body = "no such program"});
    responder.respond(redirection(moved));
  }
  static net::HttpResponse redirection(const std::string& to) {
    return {.status = 302, .headers = {{"Location", to}}, .body = "moved"};
  }
  std::string url(const std::string& target) const {
    return "https://127.0.0.1:" + std::to_string(server_->port()) + target;
  }
  std::string outcome_of(const std::string& target) {
    PendingFile file = *root_.begin("/kubelet");
    const auto fetched = https_fetch(io_, threads_, {})(url(target), file, net::soon());
    if (!fetched) return fetched.error().message;
    return file.checksum() == checksum_of(program_) ? "whole" : "something else";
  }

  const std::string program_ = std::string(3 << 20, 'k');
  net::TestPki pki_;
  net::IoPool io_;
  SystemThreads threads_;
  ScratchRoot machine_;
  Root root_ = *Root::open(machine_.folder(), threads_);
  std::unique_ptr<net::HttpServer> server_;
};

TEST_F(FetchTest, BringsTheProgramAlsoFromWhereItWasMovedTo) {
  EXPECT_EQ(outcome_of("/kubelet?arch=amd64"), "whole");
  EXPECT_EQ(outcome_of("/moved"), "whole");
}

TEST_F(FetchTest, IsNeverLedAwayFromHttps) {
  EXPECT_EQ(outcome_of("/insecure"), "a download must come over https");
}

TEST_F(FetchTest, SaysWhatTheServerAnswered) {
  EXPECT_THAT(outcome_of("/missing"), HasSubstr("/missing: status 404"));
  EXPECT_THAT(outcome_of("/in-circles"), HasSubstr("too many redirections"));
}

TEST_F(FetchTest, AServerWithoutATrustedCertificateIsRefused) {
  machine_.put("/roots.pem", net::TestPki().ca().certificate_pem);

  EXPECT_THAT(outcome_of("/moved"), testing::AnyOf(HasSubstr("certificate"), HasSubstr("verif")));
}

}  // namespace
}  // namespace capstan::agent
