// What the client makes of servers that lie, dawdle, hang up or answer too much.
#include "net/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "net/raw_socket_fixture.h"
#include "net/test_support.h"

namespace capstan::net {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

RawServer::Serve answering(std::string bytes) {
  return [bytes = std::move(bytes)](RawSocket& peer, int) {
    peer.read_until("\r\n\r\n");
    peer.send(bytes);
  };
}

std::string at(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

TEST(HttpClient, KeepsItsConnection) {
  IoPool io;
  Guarded<std::set<std::string>> peers;
  const auto server = serve(io, {}, [&](const ServerRequest& request, Responder& responder) {
    peers.with([&](auto& seen) { seen.insert(request.remote_address); });
    responder.respond({.status = 200});
  });
  HttpClient client(io, plain_client(server->port()));

  for (int i = 0; i < 5; ++i) ASSERT_TRUE(client.request({}, soon()));

  EXPECT_EQ(peers.with([](const auto& seen) { return seen.size(); }), 1U);
}

TEST(HttpClient, ClosesAConnectionThatWasIdleForTooLong) {
  IoPool io;
  Signal changed;
  std::atomic<bool> closed = false;
  RawServer server([&](RawSocket& peer, int) {
    peer.read_until("\r\n\r\n");
    peer.send(kOk);
    closed = peer.read_some().empty();
    changed.notify();
  });
  auto options = plain_client(server.port());
  options.idle_timeout = milliseconds(20);
  HttpClient client(io, options);

  ASSERT_TRUE(client.request({}, soon()));

  EXPECT_TRUE(wait_for(changed, [&] { return closed.load(); }));
}

void expect_unknown_outcome_at_the_deadline(HttpClient& client, std::uint16_t port) {
  const auto answer = client.request({.method = "POST", .target = "/x?secret=1"},
                                     Deadline::in(SystemClock(), milliseconds(30)));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::Timeout);
  EXPECT_TRUE(answer.error().outcome_unknown);
  EXPECT_EQ(answer.error().message,
            "POST " + at(port) + "/x: request sent, no complete answer before the deadline");
}

// Stops the token of a request that has arrived at its server.
void expect_cancelled_when_stopped(HttpClient& client, Signal& changed, const std::atomic<bool>& arrived) {
  std::stop_source stop;
  Guarded<std::optional<Result<HttpResponse>>> answer;
  const auto worker = SystemThreads().spawn("worker", [&](const std::stop_token&) {
    auto got = client.request({}, Deadline::never(stop.get_token()));
    answer.with([&](auto& kept) { kept.emplace(std::move(got)); });
    changed.notify();
  });
  ASSERT_TRUE(wait_for(changed, [&] { return arrived.load(); }));

  stop.request_stop();

  ASSERT_TRUE(wait_for(changed, [&] { return answer.with([](auto& kept) { return kept.has_value(); }); }));
  answer.with([](auto& kept) { EXPECT_EQ(kept->error().code, Code::Cancelled); });
}

TEST(HttpClient, GivesUpAtTheDeadlineAndSaysThatTheOutcomeIsUnknown) {
  IoPool io;
  RawServer server([](RawSocket& peer, int) { peer.read_all(); });
  HttpClient client(io, plain_client(server.port()));

  expect_unknown_outcome_at_the_deadline(client, server.port());
}

TEST(HttpClient, WakesAtOnceWhenItsTokenStops) {
  IoPool io;
  Signal changed;
  std::atomic<bool> arrived = false;
  RawServer server([&](RawSocket& peer, int) {
    peer.read_until("\r\n\r\n");
    arrived = true;
    changed.notify();
    peer.read_all();
  });
  HttpClient client(io, plain_client(server.port()));

  expect_cancelled_when_stopped(client, changed, arrived);
}

// Answers one request, and then only takes what comes.
RawServer::Serve falling_silent_after_one(Signal& changed, std::atomic<bool>& arrived) {
  return [&](RawSocket& peer, int) {
    peer.read_until("\r\n\r\n");
    peer.send(kOk);
    peer.read_until("\r\n\r\n");
    arrived = true;
    changed.notify();
    peer.read_all();
  };
}

TEST(HttpClient, OnAKeptConnectionGivesUpAtTheDeadlineToo) {
  IoPool io;
  Signal changed;
  std::atomic<bool> arrived = false;
  RawServer server(falling_silent_after_one(changed, arrived));
  HttpClient client(io, plain_client(server.port()));
  ASSERT_TRUE(client.request({}, soon()));

  expect_unknown_outcome_at_the_deadline(client, server.port());
}

TEST(HttpClient, OnAKeptConnectionWakesAtOnceWhenItsTokenStops) {
  IoPool io;
  Signal changed;
  std::atomic<bool> arrived = false;
  RawServer server(falling_silent_after_one(changed, arrived));
  HttpClient client(io, plain_client(server.port()));
  ASSERT_TRUE(client.request({}, soon()));

  expect_cancelled_when_stopped(client, changed, arrived);
}

TEST(HttpClient, WhoeverGaveUpOnAKeptConnectionLeavesNoneBehind) {
  IoPool io;
  std::atomic<int> connections = 0;
  RawServer server([&](RawSocket& peer, int number) {
    ++connections;
    peer.read_until("\r\n\r\n");
    peer.send(kOk);
    if (number > 0) return;
    peer.read_all();  // the second request gets no answer
  });
  auto options = plain_client(server.port());
  options.max_connections = 1;
  HttpClient client(io, options);
  ASSERT_TRUE(client.request({}, soon()));
  ASSERT_FALSE(client.request({}, Deadline::in(SystemClock(), milliseconds(30))));

  const auto next = client.request({}, soon());

  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(connections, 2);
}

TEST(HttpClient, SaysWhichStepTookTooLong) {
  IoPool io;
  const TestPki pki;
  RawServer server([](RawSocket& peer, int) { peer.read_all(); });
  auto options = tls_client(server.port(), pki.client());
  options.connect_timeout = milliseconds(50);
  HttpClient client(io, options);

  const auto answer = client.request({.method = "POST"}, soon());

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::Timeout);
  EXPECT_FALSE(answer.error().outcome_unknown);
  EXPECT_EQ(answer.error().message, "tls handshake " + at(server.port()) + ": no answer within 0.05s");
}

TEST(HttpClient, PeersThatNeverFinishTheirHandshakeDoNotHoldUpOthers) {
  IoPool io;
  const TestPki pki;
  RawServer mute([](RawSocket& peer, int) { peer.read_all(); });
  HttpClient stuck(io, tls_client(mute.port(), pki.client()));
  std::vector<std::unique_ptr<CollectingSink>> sinks;
  std::vector<std::unique_ptr<HttpStreamHandle>> handles;
  for (int i = 0; i < 50; ++i) {
    sinks.push_back(std::make_unique<CollectingSink>());
    handles.push_back(stuck.stream({}, {}, *sinks.back()));
  }
  const auto server = echo_server(io, {.tls = pki.server()});

  const auto answer = HttpClient(io, tls_client(server->port(), pki.client())).request({}, soon());

  EXPECT_TRUE(answer) << answer.error().message;
  for (const auto& sink : sinks) EXPECT_EQ(sink->ended(), false);
}

TEST(HttpClient, NamesTheHostThatHasNoAddress) {
  IoPool io;
  HttpClient client(io, {.origin = {.scheme = "http", .host = "no-such-host.invalid", .port = "80"}});

  const auto answer = client.request({}, soon());

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::Unavailable);
  EXPECT_THAT(answer.error().message, StartsWith("resolve no-such-host.invalid:80: "));
}

TEST(HttpClient, LooksUpNames) {
  IoPool io;
  const auto server = echo_server(io);
  HttpClient client(
      io, {.origin = {.scheme = "http", .host = "localhost", .port = std::to_string(server->port())}});

  EXPECT_EQ(value_of(client.request({}, soon())).status, 200);
}

// The server closes after each answer without saying so; its FIN is here before the next request.
TEST(HttpClient, DoesNotSendOnAConnectionTheServerHasClosed) {
  IoPool io;
  Signal changed;
  std::atomic<int> served = 0;
  RawServer server([&](RawSocket& peer, int) {
    peer.read_until("\r\n\r\n");
    peer.send(kOk);
    peer.close();
    ++served;
    changed.notify();
  });
  HttpClient client(io, plain_client(server.port()));

  for (int i = 1; i <= 3; ++i) {
    const auto answer = client.request({.method = "POST"}, soon());
    ASSERT_TRUE(answer) << answer.error().message;
    ASSERT_TRUE(wait_for(changed, [&] { return served == i; }));
  }
}

// The server takes the second request on a kept connection and closes without a byte of an answer.
RawServer::Serve hanging_up_on_the_second_request() {
  return [](RawSocket& peer, int) {
    peer.read_until("\r\n\r\n");
    peer.send(kOk);
    peer.read_until("\r\n\r\n");
    peer.close();
  };
}

TEST(HttpClient, RepeatsASafeRequestWhenAKeptConnectionDies) {
  IoPool io;
  RawServer server(hanging_up_on_the_second_request());
  HttpClient client(io, plain_client(server.port()));
  ASSERT_TRUE(client.request({}, soon()));

  const auto again = client.request({}, soon());

  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->body, "ok");
}

TEST(HttpClient, DoesNotRepeatAWriteButSaysItsOutcomeIsUnknown) {
  IoPool io;
  RawServer server(hanging_up_on_the_second_request());
  HttpClient client(io, plain_client(server.port()));
  ASSERT_TRUE(client.request({}, soon()));

  const auto again = client.request({.method = "PATCH", .body = "{}"}, soon());

  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::Unavailable);
  EXPECT_TRUE(again.error().outcome_unknown);
  EXPECT_THAT(again.error().message, HasSubstr(at(server.port()) + ": connection closed before an answer"));
}

TEST(HttpClient, RepeatsOnlyOnce) {
  IoPool io;
  std::atomic<int> connections = 0;
  RawServer server([&](RawSocket& peer, int number) {
    ++connections;
    peer.read_until("\r\n\r\n");
    if (number == 0) {
      peer.send(kOk);
      peer.read_until("\r\n\r\n");
    }
    peer.close();
  });
  HttpClient client(io, plain_client(server.port()));
  ASSERT_TRUE(client.request({}, soon()));

  EXPECT_FALSE(client.request({}, soon()));

  EXPECT_EQ(connections, 2);
}

struct Lie {
  const char* bytes;
  Code code;
  const char* message;
};
class LyingServer : public testing::TestWithParam<Lie> {};

TEST_P(LyingServer, IsAnErrorThatNamesItAndLeavesTheOutcomeOpen) {
  IoPool io;
  RawServer server(answering(GetParam().bytes));
  HttpClient client(io, plain_client(server.port()));

  const auto answer = client.request({.method = "POST", .max_body_bytes = 100}, soon());

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, GetParam().code) << answer.error().message;
  EXPECT_EQ(answer.error().message, "response from " + at(server.port()) + ": " + GetParam().message);
  EXPECT_TRUE(answer.error().outcome_unknown);
}

INSTANTIATE_TEST_SUITE_P(
    HttpClient, LyingServer,
    testing::Values(
        Lie{"", Code::Unavailable, "connection closed before an answer"},
        Lie{"HTTP/1.1 200 OK\r\nConte", Code::Unavailable, "closed before the end of the headers"},
        Lie{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", Code::Unavailable,
            "closed in the middle of the body"},
        Lie{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", Code::Unavailable,
            "closed in the middle of the body"},
        Lie{"SSH-2.0-OpenSSH_9.2\r\n\r\n", Code::Internal, "not an HTTP/1 response"},
        Lie{"HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n", Code::Internal, "body larger than 100 bytes"},
        Lie{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", Code::Internal,
            "malformed chunk size"},
        Lie{"HTTP/1.1 101 Switching Protocols\r\n\r\n", Code::Internal, "unexpected 1xx answer"}));

TEST(HttpClient, AResetInTheMiddleOfAnAnswerIsAnErrorWithItsPeer) {
  IoPool io;
  RawServer server([](RawSocket& peer, int) {
    peer.read_until("\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    peer.reset();
  });
  HttpClient client(io, plain_client(server.port()));

  const auto answer = client.request({.method = "POST"}, soon());

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::Unavailable);
  EXPECT_EQ(answer.error().message, "read response from " + at(server.port()) + ": connection reset by peer");
  EXPECT_TRUE(answer.error().outcome_unknown);
}

TEST(HttpClient, RefusesAnHttpsOriginUntilItHasATlsContext) {
  IoPool io;
  const TestPki pki;
  const auto server = echo_server(io, {.tls = pki.server()});
  HttpClient client(io, tls_client(server->port(), nullptr));
  const auto before = client.request({}, soon());

  client.use_tls(pki.client());

  ASSERT_FALSE(before);
  EXPECT_EQ(before.error().code, Code::Invalid);
  EXPECT_TRUE(client.request({}, soon()));
}

TEST(HttpClient, EndsATwoHundredMegabyteChunkedBodyAtItsLimit) {
  IoPool io;
  std::atomic<std::size_t> sent = 0;
  RawServer server([&](RawSocket& peer, int) {
    peer.read_until("\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "100000\r\n" + std::string(1U << 20, 'x') + "\r\n";
    while (sent < (200U << 20) && peer.send(chunk)) sent += 1U << 20;
  });
  HttpClient client(io, plain_client(server.port()));

  const auto answer = client.request({}, soon());

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::Internal);
  EXPECT_EQ(answer.error().message,
            "response from " + at(server.port()) + ": body larger than 67108864 bytes");
  EXPECT_LT(sent, 100U << 20);
}

TEST(HttpClient, EndsAnEndlessHeaderLine) {
  IoPool io;
  RawServer server([&](RawSocket& peer, int) {
    peer.read_until("\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\nX: ");
    const std::string chunk(64U << 10, 'x');
    while (peer.send(chunk)) continue;
  });
  HttpClient client(io, plain_client(server.port()));

  const auto answer = client.request({}, soon());

  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, EndsWith("headers larger than 65536 bytes"));
}

TEST(HttpClient, UnderstandsAnswersWithoutLengthOrBody) {
  IoPool io;
  RawServer until_close(answering("HTTP/1.0 200 OK\r\n\r\nall of it"));
  RawServer nothing(answering("HTTP/1.1 204 No Content\r\n\r\n"));
  RawServer hints(answering("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + std::string(kOk)));

  EXPECT_EQ(value_of(HttpClient(io, plain_client(until_close.port())).request({}, soon())).body, "all of it");
  EXPECT_EQ(value_of(HttpClient(io, plain_client(nothing.port())).request({}, soon())).status, 204);
  EXPECT_EQ(value_of(HttpClient(io, plain_client(hints.port())).request({}, soon())).body, "ok");
}

TEST(HttpClient, ReadsTheAnswerOfAServerThatDidNotWantTheWholeRequest) {
  IoPool io;
  const auto server =
      serve(io, {.limits = {.max_body_bytes = 1U << 20}}, [](const ServerRequest&, Responder&) {});
  HttpClient client(io, plain_client(server->port()));

  const auto answer = client.request({.method = "POST", .body = std::string(3U << 20, 'x')}, soon());

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 413);
}

TEST(HttpClient, SendsNothingWhenAHeaderWouldInjectAnother) {
  IoPool io;
  std::atomic<int> requests = 0;
  const auto server = serve(io, {}, [&](const ServerRequest&, Responder& responder) {
    ++requests;
    responder.respond({.status = 200});
  });
  HttpClient client(io, plain_client(server->port()));

  const auto answer = client.request({.headers = {{"X-Name", "a\r\nX-Admin: true"}}}, soon());

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::Invalid);
  EXPECT_FALSE(answer.error().outcome_unknown);
  EXPECT_EQ(requests, 0);
}

TEST(HttpClient, RequestsBeyondTheLimitWaitForAFreeConnection) {
  IoPool io;
  std::atomic<int> at_once = 0;
  std::atomic<int> most = 0;
  const auto server = serve(io, {.workers = 8}, [&](const ServerRequest&, Responder& responder) {
    const int now = ++at_once;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) continue;
    --at_once;
    responder.respond({.status = 200});
  });
  auto options = plain_client(server->port());
  options.max_connections = 2;
  HttpClient client(io, options);
  std::atomic<int> good = 0;

  std::vector<std::unique_ptr<Thread>> workers;
  for (int i = 0; i < 8; ++i) {
    workers.push_back(SystemThreads().spawn("worker", [&](const std::stop_token&) {
      for (int n = 0; n < 20; ++n) good += client.request({}, soon()).has_value() ? 1 : 0;
    }));
  }
  workers.clear();

  EXPECT_EQ(good, 160);
  EXPECT_LE(most, 2);
}

TEST(HttpClient, AWaitingRequestGivesUpAtItsDeadlineUnsent) {
  IoPool io;
  Signal changed;
  std::atomic<bool> arrived = false;
  RawServer server([&](RawSocket& peer, int) {
    peer.read_until("\r\n\r\n");
    arrived = true;
    changed.notify();
    peer.read_all();
  });
  auto options = plain_client(server.port());
  options.max_connections = 1;
  HttpClient client(io, options);
  std::stop_source stop;
  const auto first = SystemThreads().spawn(
      "first", [&](const std::stop_token&) { (void)client.request({}, Deadline::never(stop.get_token())); });
  ASSERT_TRUE(wait_for(changed, [&] { return arrived.load(); }));

  const auto second = client.request({.method = "POST"}, Deadline::in(SystemClock(), milliseconds(20)));

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::Timeout);
  EXPECT_FALSE(second.error().outcome_unknown);
  stop.request_stop();
}

TEST(HttpClient, ManyWorkersShareTheirConnectionsOverTls) {
  IoPool io;
  const TestPki pki;
  const auto server = echo_server(io, {.tls = pki.server()});
  auto options = tls_client(server->port(), pki.client());
  options.max_connections = 4;
  HttpClient client(io, options);
  std::atomic<int> good = 0;

  std::vector<std::unique_ptr<Thread>> workers;
  for (int i = 0; i < 8; ++i) {
    workers.push_back(SystemThreads().spawn("worker", [&, i](const std::stop_token&) {
      for (int n = 0; n < 50; ++n) {
        const std::string body = std::to_string(i) + "-" + std::to_string(n);
        const auto answer = client.request({.method = "POST", .target = "/x", .body = body}, soon());
        good += answer && answer->body == "POST /x " + body ? 1 : 0;
      }
    }));
  }
  workers.clear();

  EXPECT_EQ(good, 400);
}

TEST(HttpClient, LargeBodiesArriveWholeInBothDirections) {
  IoPool io;
  const TestPki pki;
  const auto server = serve(io, {.tls = pki.server(), .limits = {.max_body_bytes = 16U << 20}},
                            [](const ServerRequest& request, Responder& responder) {
                              responder.respond({.status = 200, .body = request.body});
                            });
  HttpClient client(io, tls_client(server->port(), pki.client()));
  std::string body;
  for (int i = 0; body.size() < (5U << 20); ++i) body += std::to_string(i) + ",";

  for (const std::string_view connection : {"new", "kept"}) {
    const auto answer = client.request({.method = "PUT", .body = body}, soon());

    ASSERT_TRUE(answer) << connection << ": " << answer.error().message;
    EXPECT_TRUE(answer->body == body) << connection;
  }
}

TEST(HttpStream, DeliversAMegabyteStreamUnchanged) {
  IoPool io;
  const TestPki pki;
  std::string expected;
  for (int i = 0; expected.size() < (4U << 20); ++i) expected += "event " + std::to_string(i) + "\n";
  const auto server = serve(io, {.tls = pki.server()}, [&](const ServerRequest&, Responder& responder) {
    const auto stream = responder.begin_stream(200, {});
    for (std::size_t at = 0; at < expected.size(); at += 1000)
      stream->write(std::string_view(expected).substr(at, 1000));
  });
  HttpClient client(io, tls_client(server->port(), pki.client()));
  CollectingSink sink;

  const auto handle = client.stream({}, {}, sink);

  const auto end = sink.wait_for_end();
  ASSERT_TRUE(end && *end);
  EXPECT_TRUE(sink.bytes() == expected);
}

TEST(HttpStream, ReusesTheConnectionOfAFinishedPage) {
  IoPool io;
  Guarded<std::set<std::string>> peers;
  const auto server = serve(io, {}, [&](const ServerRequest& request, Responder& responder) {
    peers.with([&](auto& seen) { seen.insert(request.remote_address); });
    responder.respond({.status = 200, .body = "page"});
  });
  HttpClient client(io, plain_client(server->port()));

  for (int i = 0; i < 3; ++i) {
    CollectingSink sink;
    const auto handle = client.stream({}, {}, sink);
    ASSERT_TRUE(sink.wait_for_end());
    EXPECT_EQ(sink.bytes(), "page");
  }

  EXPECT_EQ(peers.with([](const auto& seen) { return seen.size(); }), 1U);
}

TEST(HttpStream, SharesAConnectionWithRequestsOverTls) {
  IoPool io;
  const TestPki pki;
  Guarded<std::set<std::string>> peers;
  const auto server =
      serve(io, {.tls = pki.server()}, [&](const ServerRequest& request, Responder& responder) {
        peers.with([&](auto& seen) { seen.insert(request.remote_address); });
        responder.respond({.status = 200, .body = request.body});
      });
  HttpClient client(io, tls_client(server->port(), pki.client()));

  for (const std::string round : {"1", "2", "3"}) {
    for (int i = 0; i < 2; ++i) {
      const auto answer = client.request({.method = "POST", .body = round}, soon());
      ASSERT_TRUE(answer) << answer.error().message;
      EXPECT_EQ(answer->body, round);
    }
    CollectingSink sink;
    const auto handle = client.stream({.method = "POST", .body = "page " + round}, {}, sink);
    ASSERT_TRUE(sink.wait_for_end());
    EXPECT_EQ(sink.bytes(), "page " + round);
  }

  EXPECT_EQ(peers.with([](const auto& seen) { return seen.size(); }), 1U);
}

TEST(HttpStream, DeliversTheBodyOfAnErrorResponse) {
  IoPool io;
  const auto server = serve(io, {}, [](const ServerRequest&, Responder& responder) {
    responder.respond({.status = 410, .body = "too old"});
  });
  HttpClient client(io, plain_client(server->port()));
  CollectingSink sink;

  const auto handle = client.stream({}, {}, sink);

  const auto end = sink.wait_for_end();
  ASSERT_TRUE(end && *end);
  EXPECT_EQ(sink.status(), 410);
  EXPECT_EQ(sink.bytes(), "too old");
}

TEST(HttpStream, EndsWithTimeoutWhenTheServerFallsSilent) {
  IoPool io;
  RawServer server([](RawSocket& peer, int) {
    peer.read_until("\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
    peer.read_all();
  });
  HttpClient client(io, plain_client(server.port()));
  CollectingSink sink;

  const auto handle = client.stream({}, {.silent_after = milliseconds(50)}, sink);

  const auto end = sink.wait_for_end();
  ASSERT_TRUE(end);
  ASSERT_FALSE(*end);
  EXPECT_EQ(end->error().code, Code::Timeout);
  EXPECT_THAT(end->error().message, HasSubstr("silent for 0.05s"));
  EXPECT_EQ(sink.bytes(), "one");
}

TEST(HttpStream, EndsWithTheReasonWhenItCannotBegin) {
  IoPool io;
  const auto port = free_port();
  HttpClient client(io, plain_client(port));
  CollectingSink refused;
  CollectingSink invalid;

  const auto first = client.stream({}, {}, refused);
  const auto second = client.stream({.target = "/a b"}, {}, invalid);

  const auto refused_end = refused.wait_for_end();
  const auto invalid_end = invalid.wait_for_end();
  ASSERT_TRUE(refused_end && invalid_end);
  EXPECT_EQ(refused_end->error().message, "connect " + at(port) + ": connection refused");
  EXPECT_EQ(invalid_end->error().code, Code::Invalid);
}

TEST(HttpStream, DoesNotCountAgainstTheConnectionsOfRequests) {
  IoPool io;
  const auto server = serve(io, {}, [](const ServerRequest& request, Responder& responder) {
    if (request.target == "/now") return responder.respond({.status = 200});
    const auto stream = responder.begin_stream(200, {});
    stream->write("x");
    SystemThreads threads;
    threads.pause(Deadline{.at = soon().at, .stop = request.closed});
  });
  auto options = plain_client(server->port());
  options.max_connections = 1;
  HttpClient client(io, options);
  CollectingSink sink;
  const auto handle = client.stream({.target = "/watch"}, {}, sink);
  ASSERT_TRUE(sink.wait_for_bytes("x"));

  EXPECT_EQ(value_of(client.request({.target = "/now"}, soon())).status, 200);
}

// A sink that is still inside a call when its stream is being destroyed, and notices calls that come too
// late.
class SlowSink final : public HttpStreamSink {
 public:
  void on_headers(int, const Headers&) override { too_late = too_late || destroyed; }
  void on_bytes(std::string_view) override {
    inside = true;
    changed.notify();
    wait_for(changed, [&] { return destroying.load(); });
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    too_late = too_late || destroyed;
    inside = false;
  }
  void on_end(Result<void>) override { too_late = too_late || destroyed; }

  Signal changed;
  std::atomic<bool> inside = false;
  std::atomic<bool> destroying = false;
  std::atomic<bool> destroyed = false;
  std::atomic<bool> too_late = false;
};

TEST(HttpStream, DestructionWaitsForTheCallThatIsRunning) {
  SlowSink sink;
  {
    IoPool io;
    const auto server = echo_server(io);
    HttpClient client(io, plain_client(server->port()));
    auto handle = client.stream({}, {}, sink);
    ASSERT_TRUE(wait_for(sink.changed, [&] { return sink.inside.load(); }));

    sink.destroying = true;
    sink.changed.notify();
    handle.reset();
    sink.destroyed = true;

    EXPECT_FALSE(sink.inside);
  }
  EXPECT_FALSE(sink.too_late) << "no call after destruction";
}

// A sink that gives up its own stream from inside a call.
class SuicidalSink final : public HttpStreamSink {
 public:
  void on_headers(int, const Headers&) override {}
  void on_bytes(std::string_view) override {
    handle.with([](auto& kept) { kept.reset(); });
    ++calls;
  }
  void on_end(Result<void>) override { ended = true; }

  Guarded<std::unique_ptr<HttpStreamHandle>> handle;
  std::atomic<int> calls = 0;
  std::atomic<bool> ended = false;
};

TEST(HttpStream, MayBeDestroyedFromInsideACall) {
  IoPool io;
  Signal changed;
  std::atomic<bool> gone = false;
  const auto server = serve(io, {}, [&](const ServerRequest& request, Responder& responder) {
    const auto stream = responder.begin_stream(200, {});
    stream->write("x");
    SystemThreads threads;
    gone = threads.pause(Deadline{.at = soon().at, .stop = request.closed}) == Woken::Stopped;
    changed.notify();
  });
  HttpClient client(io, plain_client(server->port()));
  SuicidalSink sink;

  sink.handle.with([&](auto& kept) { kept = client.stream({}, {}, sink); });

  EXPECT_TRUE(wait_for(changed, [&] { return gone.load(); })) << "the connection is closed";
  EXPECT_EQ(sink.calls, 1);
  EXPECT_FALSE(sink.ended);
}

TEST(HttpStream, MayOutliveItsClientAndBeCutAtAnyMoment) {
  IoPool io;
  const TestPki pki;
  const auto server = serve(io, {.tls = pki.server()}, [](const ServerRequest&, Responder& responder) {
    const auto stream = responder.begin_stream(200, {});
    for (int i = 0; i < 100; ++i) stream->write("event\n");
  });

  for (int i = 0; i < 50; ++i) {
    CollectingSink sink;
    auto client = std::make_unique<HttpClient>(io, tls_client(server->port(), pki.client()));
    auto handle = client->stream({}, {}, sink);
    client.reset();
    if (i % 3 == 1) sink.wait_for_end();
    handle.reset();
  }
}

TEST(HttpProxy, TunnelsTlsAndGivesItsPassword) {
  IoPool io;
  const TestPki pki;
  const auto origin = echo_server(io, {.tls = pki.server()});
  Guarded<std::string> asked;
  RawServer proxy([&](RawSocket& peer, int) {
    asked.with([&](auto& text) { text = peer.read_until("\r\n\r\n"); });
    RawSocket onward = RawSocket::connect(origin->port());
    peer.send("HTTP/1.1 200 Connection established\r\n\r\n");
    const auto back = SystemThreads().spawn("back", [&](const std::stop_token&) {
      for (std::string bytes = onward.read_some(); !bytes.empty(); bytes = onward.read_some())
        peer.send(bytes);
      peer.finish_sending();
    });
    for (std::string bytes = peer.read_some(); !bytes.empty(); bytes = peer.read_some()) onward.send(bytes);
    onward.finish_sending();
  });
  auto options = tls_client(origin->port(), pki.client());
  options.origin.proxy_url = "http://us%40er:secret@127.0.0.1:" + std::to_string(proxy.port());
  {
    HttpClient client(io, options);

    const auto answer = client.request({.target = "/through"}, soon());

    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "GET /through ");
  }
  asked.with([&](const auto& text) {
    EXPECT_THAT(text, StartsWith("CONNECT " + at(origin->port()) + " HTTP/1.1\r\n"));
    EXPECT_THAT(text, HasSubstr("Proxy-Authorization: Basic dXNAZXI6c2VjcmV0\r\n"));
  });
}

TEST(HttpProxy, NamesItselfWhenItRefuses) {
  IoPool io;
  const TestPki pki;
  RawServer proxy(answering("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"));
  auto options = tls_client(6443, pki.client());
  options.origin.proxy_url = "http://127.0.0.1:" + std::to_string(proxy.port());
  HttpClient client(io, options);

  const auto answer = client.request({}, soon());

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::Unauthorized);
  EXPECT_EQ(answer.error().message,
            "connect 127.0.0.1:6443 through proxy " + at(proxy.port()) + ": the proxy answered 407");
}

TEST(HttpProxy, IsAskedForTheWholeUrlWithoutTls) {
  IoPool io;
  const auto proxy = echo_server(io);
  RawServer seen([&](RawSocket& peer, int) {
    const std::string head = peer.read_until("\r\n\r\n");
    const std::string line = head.substr(0, head.find('\r'));
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(line.size()) + "\r\n\r\n" + line);
  });
  HttpClient client(
      io,
      {.origin = {
           .scheme = "http", .host = "example.com", .port = "80", .proxy_url = "http://" + at(seen.port())}});

  EXPECT_EQ(value_of(client.request({.target = "/x"}, soon())).body, "GET http://example.com/x HTTP/1.1");
}

// --- origins that were named by others ---

AddressRules denying(const std::string& network) { return {.denied = {*parse_ip_network(network)}}; }

// A name of DNS may lead anywhere; what counts is where the connection would go.
TEST(HttpRules, AnAddressThatANameLeadsToIsDenied) {
  IoPool io;
  std::atomic<int> arrived = 0;
  const TestPki pki;
  RawServer server([&](RawSocket&, int) { ++arrived; });
  auto options = tls_client(server.port(), pki.client());
  options.origin.host = "localhost";
  options.rules = denying("127.0.0.0/8");
  options.rules->denied.push_back(*parse_ip_network("::1/128"));
  HttpClient client(io, options);

  const auto answer = client.request({}, soon());

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::Unavailable);
  EXPECT_EQ(answer.error().reason, kAddressDenied);
  EXPECT_THAT(answer.error().message, StartsWith("connect localhost:"));
  EXPECT_FALSE(answer.error().outcome_unknown);
  EXPECT_EQ(arrived.load(), 0);
}

TEST(HttpRules, PlainHttpIsForThisMachineAndOnlyWhereItIsAllowed) {
  IoPool io;
  const auto server = echo_server(io);
  const auto reason = [&](const std::string& host, bool allowed) {
    auto options = plain_client(server->port());
    options.origin.host = host;
    options.rules = AddressRules{.plain_http_on_loopback = allowed};
    const auto answer = HttpClient(io, options).request({}, soon());
    return answer ? "" : answer.error().reason;
  };

  EXPECT_EQ(reason("127.0.0.1", true), "");
  EXPECT_EQ(reason("localhost", true), "");
  EXPECT_EQ(reason("127.0.0.1", false), kAddressDenied);
  EXPECT_EQ(reason("192.0.2.1", true), kAddressDenied);
  EXPECT_EQ(reason("0.0.0.0", true), kAddressDenied);
}

TEST(HttpRules, ThroughAProxyOnlyLiteralsCanBeLookedAt) {
  IoPool io;
  const TestPki pki;
  std::atomic<int> asked = 0;
  RawServer proxy([&](RawSocket& peer, int) {
    ++asked;
    peer.read_until("\r\n\r\n");
    peer.send("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  const auto error_for = [&](const std::string& host, std::shared_ptr<TlsContext> tls) {
    HttpClientOptions options = tls_client(443, tls);
    if (!tls) options.origin.scheme = "http";
    options.origin.host = host;
    options.origin.proxy_url = "http://" + at(proxy.port());
    options.rules = AddressRules{.plain_http_on_loopback = true};
    return HttpClient(io, options).request({}, soon()).error();
  };

  for (const char* host : {"169.254.169.254", "2852039166", "fe80::1"})
    EXPECT_EQ(error_for(host, pki.client()).reason, kAddressDenied) << host;
  EXPECT_EQ(error_for("127.0.0.1", nullptr).reason, kAddressDenied) << "the proxy's loopback is not ours";
  EXPECT_EQ(asked.load(), 0);
  EXPECT_THAT(error_for("api.invalid", pki.client()).message, EndsWith("the proxy answered 502"));
}

TEST(HttpRules, AProxyIsHeldToThemUnlessItIsOurs) {
  IoPool io;
  const TestPki pki;
  RawServer proxy(answering("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  const auto error_with = [&](bool ours) {
    auto options = tls_client(443, pki.client());
    options.origin.host = "api.invalid";
    options.origin.proxy_url = "http://" + at(proxy.port());
    options.rules = denying("127.0.0.0/8");
    options.proxy_is_ours = ours;
    return HttpClient(io, options).request({}, soon()).error();
  };

  EXPECT_EQ(error_with(false).reason, kAddressDenied);
  EXPECT_THAT(error_with(true).message, EndsWith("the proxy answered 502"));
}

TEST(HttpProxy, OtherKindsAreRefusedInWords) {
  IoPool io;
  HttpClient client(io,
                    {.origin = {.scheme = "http", .host = "a", .port = "1", .proxy_url = "socks5://p:1080"}});

  const auto answer = client.request({}, soon());

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "proxy socks5://p: only http proxies are supported");
}

}  // namespace
}  // namespace capstan::net
