// Client and server against each other, plain and with TLS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "net/http_client.h"
#include "net/http_server.h"
#include "net/io_pool.h"
#include "net/test_support.h"

namespace capstan::net {
namespace {

TEST(Http, AnswersARequest) {
  IoPool io;
  auto server = echo_server(io);
  HttpClient client(io, plain_client(server->port()));

  const auto answer = client.request({.method = "POST", .target = "/a?b=c", .body = "hello"}, soon());

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "POST /a?b=c hello");
}

TEST(Http, AnswersOverTls) {
  IoPool io;
  const TestPki pki;
  auto server = echo_server(io, {.tls = pki.server()});
  HttpClient client(io, tls_client(server->port(), pki.client()));

  const auto answer = client.request({.target = "/x"}, soon());

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "GET /x ");
}

TEST(Http, NamesHostPortAndStepWhenTheConnectionIsRefused) {
  IoPool io;
  const auto port = free_port();
  HttpClient client(io, plain_client(port));

  const auto answer = client.request({}, soon());

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "connect 127.0.0.1:" + std::to_string(port) + ": connection refused");
  EXPECT_EQ(answer.error().code, Code::Unavailable);
  EXPECT_FALSE(answer.error().outcome_unknown);
}

TEST(Http, StreamsWhatTheHandlerWritesLater) {
  IoPool io;
  const TestPki pki;
  std::shared_ptr<ResponseStream> held;
  Guarded<std::shared_ptr<ResponseStream>> stream;
  Signal begun;
  auto server = serve(io, {.tls = pki.server()}, [&](const ServerRequest&, Responder& responder) {
    stream.with(
        [&](auto& kept) { kept = responder.begin_stream(200, {{"Content-Type", "application/json"}}); });
    begun.notify();
  });
  HttpClient client(io, tls_client(server->port(), pki.client()));
  CollectingSink sink;

  const auto handle = client.stream({.target = "/watch"}, {}, sink);
  ASSERT_TRUE(wait_for(begun, [&] { return stream.with([](auto& kept) { return kept != nullptr; }); }));
  EXPECT_TRUE(stream.with([](auto& kept) { return kept->write("one\n"); }));
  ASSERT_TRUE(sink.wait_for_bytes("one\n"));
  EXPECT_TRUE(stream.with([](auto& kept) { return kept->write("two\n"); }));
  ASSERT_TRUE(sink.wait_for_bytes("one\ntwo\n"));
  stream.with([](auto& kept) { kept.reset(); });

  const auto end = sink.wait_for_end();
  ASSERT_TRUE(end);
  EXPECT_TRUE(*end) << end->error().message;
  EXPECT_EQ(sink.status(), 200);
}

}  // namespace
}  // namespace capstan::net
