// Our server and a client that is not ours: cpp-httplib, which shares no code with ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <cstdio>
#include <fstream>

#include "net/test_support.h"

namespace capstan::net {
namespace {

using testing::HasSubstr;

TEST(IndependentClient, GetsPostsAndKeepsItsConnection) {
  IoPool io;
  const auto server = echo_server(io);
  httplib::Client client("127.0.0.1", server->port());
  client.set_keep_alive(true);

  for (int i = 0; i < 3; ++i) {
    const auto got = client.Get("/a?b=c");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "GET /a?b=c ");
  }
  const auto posted = client.Post("/p", "body", "text/plain");
  ASSERT_TRUE(posted);
  EXPECT_EQ(posted->body, "POST /p body");
  EXPECT_EQ(client.Head("/h")->status, 200);
}

TEST(IndependentClient, UploadsAndDownloadsInChunks) {
  IoPool io;
  const auto server = serve(io, {}, [](const ServerRequest& request, Responder& responder) {
    const auto stream = responder.begin_stream(200, {});
    for (const char c : request.body) stream->write(std::string(1, c));
  });
  httplib::Client client("127.0.0.1", server->port());
  int sent = 0;

  const auto answer = client.Post(
      "/", httplib::Headers(),
      [&](std::size_t, httplib::DataSink& sink) {
        if (sent == 3) {
          sink.done();
          return true;
        }
        const std::string piece = "piece" + std::to_string(sent++) + " ";
        return sink.write(piece.data(), piece.size());
      },
      "text/plain");

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "piece0 piece1 piece2 ");
}

class CertificateFile {
 public:
  explicit CertificateFile(const std::string& text)
      : path_(testing::TempDir() + "/capstan-" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + ".pem") {
    std::ofstream(path_) << text;
  }
  ~CertificateFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(IndependentClient, VerifiesOurCertificates) {
  IoPool io;
  const TestPki pki;
  const auto server = echo_server(io, {.tls = pki.server()});
  const CertificateFile ca(pki.ca().certificate_pem);
  httplib::SSLClient client("localhost", server->port());
  client.set_ca_cert_path(ca.path());
  client.enable_server_certificate_verification(true);

  const auto answer = client.Get("/tls");

  ASSERT_TRUE(answer) << to_string(answer.error());
  EXPECT_EQ(answer->body, "GET /tls ");
}

TEST(IndependentClient, ReadsTheRefusalOfALargeBody) {
  IoPool io;
  const auto server = echo_server(io, {.limits = {.max_body_bytes = 1000}});
  httplib::Client client("127.0.0.1", server->port());

  const auto answer = client.Post("/", std::string(5000, 'x'), "text/plain");

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413);
  EXPECT_THAT(answer->body, HasSubstr("body larger than 1000 bytes"));
}

}  // namespace
}  // namespace capstan::net
