// What strangers may do to the server, and what they may not.
#include "net/http_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "net/raw_socket_fixture.h"
#include "net/test_support.h"

namespace capstan::net {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string ask(std::uint16_t port, std::string_view bytes) {
  RawSocket peer = RawSocket::connect(port);
  peer.send(bytes);
  return peer.read_all();
}

constexpr std::string_view kLastGet = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

TEST(HttpServer, HangsUpOnAnEndlessHeaderLine) {
  IoPool io;
  const auto server = echo_server(io, {.limits = {.linger_timeout = milliseconds(20)}});
  RawSocket peer = RawSocket::connect(server->port());
  peer.send("GET / HTTP/1.1\r\nHost: a\r\nX: ");
  const std::string chunk(64U << 10, 'x');

  // A writer that never ends: only the server's hanging up can end this loop.
  while (peer.send(chunk)) continue;

  EXPECT_THAT(ask(server->port(), kLastGet), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, SaysWhyItRefusesLargeHeaders) {
  IoPool io;
  const auto server = echo_server(io);
  const std::string large(40'000, 'x');

  EXPECT_THAT(ask(server->port(), "GET / HTTP/1.1\r\nHost: a\r\nX: " + large),
              AllOf(StartsWith("HTTP/1.1 431 "), HasSubstr("Connection: close"),
                    EndsWith("headers larger than 32768 bytes\n")));
  EXPECT_THAT(ask(server->port(), "GET /" + large), StartsWith("HTTP/1.1 414 "));
}

TEST(HttpServer, RefusesTwoHundredThousandHeaders) {
  IoPool io;
  const auto server = echo_server(io, {.limits = {.max_header_bytes = 10U << 20}});
  std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 200'000; ++i) bytes += "a: b\r\n";

  EXPECT_THAT(ask(server->port(), bytes + "\r\n"),
              AllOf(StartsWith("HTTP/1.1 431 "), HasSubstr("more than 100 headers")));
}

TEST(HttpServer, CutsOffALargeChunkedBodyAtItsLimit) {
  IoPool io;
  std::atomic<int> handled = 0;
  const auto server =
      serve(io, {.limits = {.max_body_bytes = 1U << 20}}, [&](const ServerRequest&, Responder& responder) {
        ++handled;
        responder.respond({.status = 200});
      });
  RawSocket peer = RawSocket::connect(server->port());
  peer.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";

  int sent = 0;
  for (; sent < 24; ++sent) {
    if (!peer.send(chunk)) break;
  }

  EXPECT_THAT(peer.read_all(),
              AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("body larger than 1048576 bytes")));
  EXPECT_EQ(handled, 0);
}

TEST(HttpServer, EndsATwoHundredMegabyteUploadLongBeforeItsEnd) {
  IoPool io;
  const auto server =
      echo_server(io, {.limits = {.max_body_bytes = 1U << 20, .linger_timeout = milliseconds(20)}});
  RawSocket peer = RawSocket::connect(server->port());
  peer.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";

  // A writer that never ends: only the server's hanging up can end this loop.
  while (peer.send(chunk)) continue;

  EXPECT_THAT(ask(server->port(), kLastGet), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, RefusesADeclaredBodyBeforeReadingIt) {
  IoPool io;
  const auto server = echo_server(io, {.limits = {.max_body_bytes = 100}});

  EXPECT_THAT(ask(server->port(),
                  "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 101\r\n\r\n"),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(
      ask(server->port(), "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 100\r\n\r\n" +
                              std::string(100, 'x')),
      StartsWith("HTTP/1.1 200 "));
}

struct Case {
  const char* bytes;
  const char* status;
};
class Oddity : public testing::TestWithParam<Case> {};

TEST_P(Oddity, GetsItsStatus) {
  IoPool io;
  const auto server = echo_server(io);

  EXPECT_THAT(ask(server->port(), GetParam().bytes),
              StartsWith(std::string("HTTP/1.1 ") + GetParam().status));
}

INSTANTIATE_TEST_SUITE_P(
    HttpServer, Oddity,
    testing::Values(
        Case{"nonsense\r\n\r\n", "400"}, Case{"GET / HTTP/1.1\r\n\r\n", "400"},
        Case{"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"},
        Case{"GET relative HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
        Case{"GET http://h/abs HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "200"},
        Case{"OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "200"},
        Case{"GET / HTTP/1.0\r\n\r\n", "200"}, Case{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505"},
        Case{"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", "501"},
        Case{"POST / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nContent-Length: 1\r\n\r\nx", "417"},
        Case{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
             "400"}));

TEST(HttpServer, AnswersAPeerThatHasClosedItsSendingSide) {
  IoPool io;
  const auto server = echo_server(io);
  RawSocket peer = RawSocket::connect(server->port());

  peer.send("GET /half HTTP/1.1\r\nHost: a\r\n\r\n");
  peer.finish_sending();

  EXPECT_THAT(peer.read_all(), AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("GET /half ")));
}

TEST(HttpServer, DropsAPeerThatClosesInTheMiddleOfARequest) {
  IoPool io;
  const auto server = echo_server(io);
  RawSocket peer = RawSocket::connect(server->port());

  peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhal");
  peer.finish_sending();

  EXPECT_THAT(peer.read_all(), IsEmpty());
}

TEST(HttpServer, GivesUpOnHeadersThatDrip) {
  IoPool io;
  const auto server = echo_server(io, {.limits = {.header_timeout = milliseconds(30)}});

  EXPECT_THAT(ask(server->port(), "GET / HTTP/1.1\r\nHos"), StartsWith("HTTP/1.1 408 "));
}

TEST(HttpServer, GivesUpOnBodiesThatDrip) {
  IoPool io;
  const auto server = echo_server(io, {.limits = {.body_timeout = milliseconds(30)}});

  EXPECT_THAT(ask(server->port(), "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhal"),
              StartsWith("HTTP/1.1 408 "));
}

TEST(HttpServer, ClosesSilentConnectionsWithoutAWord) {
  IoPool io;
  const auto server = echo_server(io, {.limits = {.idle_timeout = milliseconds(30)}});

  EXPECT_THAT(ask(server->port(), ""), IsEmpty());
  EXPECT_THAT(ask(server->port(), "GET / HTTP/1.1\r\nHost: a\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, CutsOffAPeerThatDoesNotReadItsAnswer) {
  IoPool io;
  Signal ended;
  std::atomic<bool> gone = false;
  const auto server = serve(io, {.limits = {.write_timeout = milliseconds(30)}},
                            [&](const ServerRequest& request, Responder& responder) {
                              responder.respond({.status = 200, .body = std::string(64U << 20, 'x')});
                              const std::stop_callback on_close(request.closed, [&] {
                                gone = true;
                                ended.notify();
                              });
                              wait_for(ended, [&] { return gone.load(); });
                            });
  RawSocket peer = RawSocket::connect(server->port());

  peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");

  EXPECT_TRUE(wait_for(ended, [&] { return gone.load(); }));
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  IoPool io;
  const auto server = echo_server(io);
  std::string bytes;
  for (int i = 0; i < 50; ++i)
    bytes += "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx";

  const std::string answers = ask(server->port(), bytes + std::string(kLastGet));

  std::size_t at = 0;
  for (int i = 0; i < 50; ++i) {
    at = answers.find("POST /" + std::to_string(i) + " x", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
  EXPECT_THAT(answers, EndsWith("GET / "));
}

TEST(HttpServer, SendsNoBodyToHead) {
  IoPool io;
  const auto server = echo_server(io);

  const std::string answer = ask(server->port(), "HEAD /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");

  EXPECT_THAT(answer, AllOf(HasSubstr("Content-Length: 8\r\n"), EndsWith("\r\n\r\n")));
}

TEST(HttpServer, AsksForTheBodyWhenTheClientWaitsForThat) {
  IoPool io;
  const auto server = echo_server(io);
  RawSocket peer = RawSocket::connect(server->port());

  peer.send(
      "PUT / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(peer.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  peer.send("ok");

  EXPECT_THAT(peer.read_all(), AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("PUT / ok")));
}

TEST(HttpServer, StreamsToHttp10UntilTheConnectionCloses) {
  IoPool io;
  const auto server = serve(io, {}, [](const ServerRequest&, Responder& responder) {
    const auto stream = responder.begin_stream(200, {});
    stream->write("one ");
    stream->write("two");
  });

  const std::string old = ask(server->port(), "GET / HTTP/1.0\r\n\r\n");
  const std::string now = ask(server->port(), kLastGet);

  EXPECT_THAT(old, AllOf(Not(HasSubstr("Transfer-Encoding")), EndsWith("\r\n\r\none two")));
  EXPECT_THAT(now, AllOf(HasSubstr("Transfer-Encoding: chunked\r\n"), HasSubstr("4\r\none \r\n3\r\ntwo\r\n"),
                         EndsWith("0\r\n\r\n")));
}

TEST(HttpServer, HandlersThatFailBecomeFiveHundred) {
  IoPool io;
  const auto server = serve(io, {}, [](const ServerRequest& request, Responder& responder) {
    if (request.target == "/throw") throw std::runtime_error("broken on purpose");
    if (request.target == "/inject") responder.respond({.status = 200, .headers = {{"X", "a\r\nY: b"}}});
  });
  HttpClient client(io, plain_client(server->port()));

  EXPECT_EQ(value_of(client.request({.target = "/throw"}, soon())).status, 500);
  EXPECT_EQ(value_of(client.request({.target = "/silent"}, soon())).body, "no answer was given\n");
  const auto injected = value_of(client.request({.target = "/inject"}, soon()));
  EXPECT_EQ(injected.status, 500);
  EXPECT_EQ(injected.header("Y"), std::nullopt);
}

TEST(HttpServer, DropsTheConnectionWhenTheHandlerSaysSo) {
  IoPool io;
  const auto server = serve(io, {}, [](const ServerRequest&, Responder& responder) { responder.drop(); });

  EXPECT_THAT(ask(server->port(), kLastGet), IsEmpty());
}

TEST(HttpServer, TellsTheHandlerThatThePeerIsGone) {
  IoPool io;
  Signal changed;
  std::atomic<bool> begun = false;
  std::atomic<bool> stopped = false;
  const auto server = serve(io, {}, [&](const ServerRequest& request, Responder&) {
    begun = true;
    changed.notify();
    SystemThreads threads;
    stopped = threads.pause(Deadline{.at = soon().at, .stop = request.closed}) == Woken::Stopped;
    changed.notify();
  });
  RawSocket peer = RawSocket::connect(server->port());
  peer.send(kLastGet);
  ASSERT_TRUE(wait_for(changed, [&] { return begun.load(); }));

  peer.close();

  EXPECT_TRUE(wait_for(changed, [&] { return stopped.load(); }));
}

TEST(HttpServer, TellsAStreamThatThePeerIsGone) {
  IoPool io;
  Signal changed;
  Guarded<std::shared_ptr<ResponseStream>> held;
  std::atomic<int> closed = 0;
  const auto server = serve(io, {}, [&](const ServerRequest&, Responder& responder) {
    const auto stream = responder.begin_stream(200, {});
    held.with([&](auto& kept) { kept = stream; });
    stream->on_closed([&] {
      ++closed;
      changed.notify();
    });
  });
  RawSocket peer = RawSocket::connect(server->port());
  peer.send(kLastGet);
  ASSERT_THAT(peer.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));

  peer.close();

  EXPECT_TRUE(wait_for(changed, [&] { return closed == 1; }));
  EXPECT_FALSE(held.with([](auto& kept) { return kept->write("x"); }));
  held.with([](auto& kept) { kept.reset(); });
}

TEST(HttpServer, DropsAStreamWhosePeerDoesNotKeepUp) {
  IoPool io;
  Signal changed;
  std::atomic<bool> refused = false;
  const auto server = serve(io, {.limits = {.max_stream_backlog = 1U << 20}},
                            [&](const ServerRequest&, Responder& responder) {
                              const auto stream = responder.begin_stream(200, {});
                              const std::string event(64U << 10, 'x');
                              while (stream->write(event)) continue;
                              refused = true;
                              changed.notify();
                            });
  RawSocket peer = RawSocket::connect(server->port());

  peer.send(kLastGet);

  EXPECT_TRUE(wait_for(changed, [&] { return refused.load(); }));
  EXPECT_THAT(peer.read_all(), Not(EndsWith("0\r\n\r\n")));
}

TEST(HttpServer, AbortCutsAStreamInTheMiddle) {
  IoPool io;
  Guarded<std::shared_ptr<ResponseStream>> held;
  const auto server = serve(io, {}, [&](const ServerRequest&, Responder& responder) {
    const auto stream = responder.begin_stream(200, {});
    held.with([&](auto& kept) { kept = stream; });
    stream->write("event");
  });
  HttpClient client(io, plain_client(server->port()));
  CollectingSink sink;
  const auto handle = client.stream({}, {}, sink);
  ASSERT_TRUE(sink.wait_for_bytes("event"));

  held.with([](auto& kept) { kept->abort(); });

  const auto end = sink.wait_for_end();
  ASSERT_TRUE(end);
  ASSERT_FALSE(*end);
  EXPECT_EQ(end->error().code, Code::Unavailable);
  EXPECT_THAT(end->error().message, HasSubstr("closed in the middle of the body"));
  held.with([](auto& kept) { kept.reset(); });
}

TEST(HttpServer, MakesRoomByClosingWhoHasBeenIdleTheLongest) {
  IoPool io;
  const auto server = echo_server(io, {.limits = {.max_connections = 2}});
  RawSocket first = RawSocket::connect(server->port());
  first.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_THAT(first.read_until("GET /1 "), EndsWith("GET /1 "));
  RawSocket second = RawSocket::connect(server->port());
  second.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_THAT(second.read_until("GET /2 "), EndsWith("GET /2 "));

  const std::string third = ask(server->port(), kLastGet);

  EXPECT_THAT(third, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(first.read_all(), IsEmpty());
  second.send(kLastGet);
  EXPECT_THAT(second.read_all(), StartsWith("HTTP/1.1 200 "));
}

// What a peer says before it stalls.
class Stalled : public testing::TestWithParam<const char*> {};

TEST_P(Stalled, GivesWayToNewcomers) {
  IoPool io;
  const auto server = echo_server(io, {.limits = {.max_connections = 4}});
  RawSocket oldest = RawSocket::connect(server->port());
  oldest.send(GetParam());
  RawSocket next = RawSocket::connect(server->port());
  next.send("GET / HTTP/1.1\r\n");

  const std::string newcomer = ask(server->port(), kLastGet);

  EXPECT_THAT(newcomer, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(oldest.read_all(), IsEmpty());
  next.send("Host: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(next.read_all(), StartsWith("HTTP/1.1 200 "));
}

INSTANTIATE_TEST_SUITE_P(HttpServer, Stalled,
                         testing::Values("", "GET / HT",
                                         "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc"));

TEST(HttpServer, APeerThatDoesNotReadItsAnswerGivesWayToNewcomers) {
  IoPool io;
  const auto server =
      serve(io, {.limits = {.max_connections = 1}}, [](const ServerRequest& request, Responder& responder) {
        responder.respond(
            {.status = 200, .body = std::string(request.target == "/large" ? 64U << 20 : 1, 'x')});
      });
  RawSocket slow = RawSocket::connect(server->port());
  slow.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_THAT(slow.read_until("HTTP/1.1 200 "), StartsWith("HTTP/1.1 200 "));

  std::string newcomer = ask(server->port(), kLastGet);
  while (newcomer.starts_with("HTTP/1.1 503 ")) newcomer = ask(server->port(), kLastGet);

  EXPECT_THAT(newcomer, StartsWith("HTTP/1.1 200 "));
  EXPECT_LT(slow.read_all().size(), 64U << 20);
}

TEST(HttpServer, StrangersDoNotPushOutWhoHasHadAnAnswer) {
  IoPool io;
  const auto server = echo_server(io, {.limits = {.max_connections = 4}});
  std::vector<RawSocket> known;
  for (int i = 0; i < 2; ++i) {
    known.push_back(RawSocket::connect(server->port()));
    known.back().send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_THAT(known.back().read_until("GET /1 "), EndsWith("GET /1 "));
  }

  std::vector<RawSocket> strangers;
  for (int i = 0; i < 20; ++i) {
    strangers.push_back(RawSocket::connect(server->port()));
    strangers.back().send("GET / HT");
  }
  EXPECT_THAT(strangers[17].read_all(), IsEmpty());  // all are accepted, the last two are still there

  for (RawSocket& peer : known) {
    peer.send(kLastGet);
    EXPECT_THAT(peer.read_all(), StartsWith("HTTP/1.1 200 "));
  }
}

TEST(HttpServer, SaysItIsFullWhenEveryConnectionIsAtWork) {
  IoPool io;
  Signal changed;
  std::atomic<bool> release = false;
  std::atomic<bool> begun = false;
  const auto server =
      serve(io, {.limits = {.max_connections = 1}}, [&](const ServerRequest&, Responder& responder) {
        begun = true;
        changed.notify();
        wait_for(changed, [&] { return release.load(); });
        responder.respond({.status = 200});
      });
  RawSocket busy = RawSocket::connect(server->port());
  busy.send(kLastGet);
  ASSERT_TRUE(wait_for(changed, [&] { return begun.load(); }));

  EXPECT_THAT(ask(server->port(), ""), StartsWith("HTTP/1.1 503 "));

  release = true;
  changed.notify();
  EXPECT_THAT(busy.read_all(), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, SaysItIsBusyWhenTooManyRequestsWait) {
  IoPool io;
  Signal changed;
  std::atomic<bool> release = false;
  std::atomic<bool> begun = false;
  const auto server = serve(io, {.workers = 1, .limits = {.max_waiting_requests = 0}},
                            [&](const ServerRequest&, Responder& responder) {
                              begun = true;
                              changed.notify();
                              wait_for(changed, [&] { return release.load(); });
                              responder.respond({.status = 200});
                            });
  RawSocket busy = RawSocket::connect(server->port());
  busy.send(kLastGet);
  ASSERT_TRUE(wait_for(changed, [&] { return begun.load(); }));

  const std::string refused = ask(server->port(), kLastGet);

  EXPECT_THAT(refused, AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1")));
  release = true;
  changed.notify();
  EXPECT_THAT(busy.read_all(), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, DoesNotBeginWhatAVanishedPeerAskedFor) {
  IoPool io;
  Signal changed;
  std::atomic<bool> release = false;
  std::atomic<int> begun = 0;
  const auto server =
      serve(io, {.workers = 1, .limits = {.max_connections = 2, .idle_timeout = milliseconds(20)}},
            [&](const ServerRequest&, Responder& responder) {
              ++begun;
              changed.notify();
              wait_for(changed, [&] { return release.load(); });
              responder.respond({.status = 200});
            });
  RawSocket busy = RawSocket::connect(server->port());
  busy.send(kLastGet);
  ASSERT_TRUE(wait_for(changed, [&] { return begun == 1; }));
  RawSocket vanishing = RawSocket::connect(server->port());
  vanishing.send(kLastGet);

  vanishing.reset();
  while (!ask(server->port(), "").empty()) continue;  // it is full until it has seen that
  release = true;
  changed.notify();

  EXPECT_THAT(busy.read_all(), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(ask(server->port(), kLastGet), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(begun, 2);
}

std::string mixed_letters(std::size_t count) {
  std::string text(count, ' ');
  for (std::size_t i = 0; i < count; ++i) text[i] = static_cast<char>('a' + (i * 7 + i / 1000) % 26);
  return text;
}

TEST(HttpServer, BodiesOfAnySizeArriveWhole) {
  IoPool io;
  const auto server = echo_server(io);
  for (const std::size_t size : {1U, 65535U, 65536U, 65537U, 300'000U, 1'500'000U}) {
    const std::string body = mixed_letters(size);
    const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";

    const std::string declared =
        ask(server->port(), head + "Content-Length: " + std::to_string(size) + "\r\n\r\n" + body);
    const std::string chunked =
        ask(server->port(), head + "Transfer-Encoding: chunked\r\n\r\n1\r\n" + body.substr(0, 1) + "\r\n" +
                                (size > 1 ? fmt::format("{:x}\r\n{}\r\n", size - 1, body.substr(1)) : "") +
                                "0\r\n\r\n");

    EXPECT_TRUE(declared.ends_with("\r\n\r\nPOST / " + body)) << size;
    EXPECT_TRUE(chunked.ends_with("\r\n\r\nPOST / " + body)) << size;
  }
}

std::string large_request(std::size_t bytes) {
  return "POST /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " + std::to_string(bytes) +
         "\r\n\r\n" + std::string(bytes, 'x');
}

// A server that holds bodies of a megabyte: half of it is taken by a request which a handler keeps.
class FullOfBodies : public testing::Test {
 protected:
  void SetUp() override {
    holding_.send(large_request(500U << 10));
    ASSERT_TRUE(wait_for(changed_, [&] { return held_.load(); }));
  }
  void TearDown() override { let_go(); }
  void answer(const ServerRequest& request, Responder& responder) {
    if (request.target == "/large" && !held_.exchange(true)) {
      changed_.notify();
      wait_for(changed_, [&] { return released_.load(); });
    }
    responder.respond({.status = 200, .body = std::to_string(request.body.size())});
  }
  void let_go() {
    released_ = true;
    changed_.notify();
  }

  IoPool io_;
  Signal changed_;
  std::atomic<bool> held_ = false;
  std::atomic<bool> released_ = false;
  const std::unique_ptr<HttpServer> server_ =
      serve(io_, {.workers = 2, .limits = {.max_held_body_bytes = 1U << 20}},
            [this](const ServerRequest& request, Responder& responder) { answer(request, responder); });
  RawSocket holding_ = RawSocket::connect(server_->port());
};

TEST_F(FullOfBodies, ALargeRequestOfAStrangerIsRefused) {
  const std::string refused = ask(server_->port(), large_request(500U << 10));

  EXPECT_THAT(refused, AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1"),
                             EndsWith("too many large requests are here\n")));
}

TEST_F(FullOfBodies, SmallRequestsAreAnswered) {
  EXPECT_THAT(ask(server_->port(), large_request(32U << 10)), StartsWith("HTTP/1.1 200 "));
}

TEST_F(FullOfBodies, ALargeRequestOfAPeerThatHadAnAnswerIsAnswered) {
  RawSocket known = RawSocket::connect(server_->port());
  known.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_THAT(known.read_until("\r\n\r\n0"), EndsWith("\r\n\r\n0"));

  known.send(large_request(500U << 10));

  EXPECT_THAT(known.read_all(), AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("\r\n\r\n512000")));
}

TEST_F(FullOfBodies, AnAnswerMakesRoomForTheNext) {
  let_go();
  EXPECT_THAT(holding_.read_all(), StartsWith("HTTP/1.1 200 "));

  std::string next = ask(server_->port(), large_request(500U << 10));
  while (next.starts_with("HTTP/1.1 503 ")) next = ask(server_->port(), large_request(500U << 10));

  EXPECT_THAT(next, StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, IdleConnectionsDoNotHoldUpOthers) {
  IoPool io;
  const auto server = echo_server(io, {.workers = 1});
  std::vector<RawSocket> idle;
  for (int i = 0; i < 200; ++i) {
    idle.push_back(RawSocket::connect(server->port()));
    idle.back().send("GET / HT");
  }

  EXPECT_EQ(
      value_of(HttpClient(io, plain_client(server->port())).request({.target = "/healthz"}, soon())).status,
      200);
}

TEST(HttpServer, RefusesWhilePausedAndComesBackOnTheSamePort) {
  IoPool io;
  const auto server = echo_server(io);
  const auto port = server->port();

  server->pause_accepting(true);
  EXPECT_FALSE(RawSocket::connect(port).connected());
  server->pause_accepting(false);

  EXPECT_EQ(server->port(), port);
  EXPECT_THAT(ask(port, kLastGet), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, ClosesConnectionsAndGoesOnListening) {
  IoPool io;
  const auto server = echo_server(io);
  RawSocket peer = RawSocket::connect(server->port());
  peer.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_THAT(peer.read_until("GET /1 "), EndsWith("GET /1 "));

  server->close_connections();

  EXPECT_THAT(peer.read_all(), IsEmpty());
  EXPECT_THAT(ask(server->port(), kLastGet), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, ShutsDownAfterTheAnswersOnTheirWay) {
  IoPool io;
  Signal changed;
  std::atomic<bool> begun = false;
  const auto server = serve(io, {}, [&](const ServerRequest& request, Responder& responder) {
    begun = true;
    changed.notify();
    SystemThreads threads;
    threads.pause(Deadline{.at = soon().at, .stop = request.closed});
    responder.respond({.status = 200, .body = "still answered"});
  });
  RawSocket peer = RawSocket::connect(server->port());
  peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(wait_for(changed, [&] { return begun.load(); }));

  const auto closer =
      SystemThreads().spawn("closer", [&](const std::stop_token&) { server->shut_down(soon()); });

  EXPECT_THAT(peer.read_all(), EndsWith("still answered"));
  peer.close();
}

TEST(HttpServer, ShutDownEndsStreamsCleanly) {
  IoPool io;
  Guarded<std::shared_ptr<ResponseStream>> held;
  const auto server = serve(io, {}, [&](const ServerRequest&, Responder& responder) {
    const auto stream = responder.begin_stream(200, {});
    held.with([&](auto& kept) { kept = stream; });
    stream->write("event");
  });
  HttpClient client(io, plain_client(server->port()));
  CollectingSink sink;
  const auto handle = client.stream({}, {}, sink);
  ASSERT_TRUE(sink.wait_for_bytes("event"));

  server->shut_down(soon());

  const auto end = sink.wait_for_end();
  ASSERT_TRUE(end);
  EXPECT_TRUE(*end) << end->error().message;
  held.with([](auto& kept) { kept.reset(); });
}

TEST(HttpServer, DestructionWaitsForHandlersAndTellsThem) {
  IoPool io;
  Signal changed;
  std::atomic<bool> begun = false;
  std::atomic<bool> finished = false;
  auto server = serve(io, {}, [&](const ServerRequest& request, Responder& responder) {
    begun = true;
    changed.notify();
    SystemThreads threads;
    threads.pause(Deadline{.at = soon().at, .stop = request.closed});
    responder.respond({.status = 200});
    finished = true;
  });
  RawSocket peer = RawSocket::connect(server->port());
  peer.send(kLastGet);
  ASSERT_TRUE(wait_for(changed, [&] { return begun.load(); }));

  server.reset();

  EXPECT_TRUE(finished);
  EXPECT_THAT(peer.read_all(), IsEmpty());
}

TEST(HttpServer, NamesThePortThatIsTaken) {
  IoPool io;
  const auto server = echo_server(io);

  const auto second =
      HttpServer::listen(io, {.port = server->port()}, [](const ServerRequest&, Responder&) {});

  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("listen 127.0.0.1:" + std::to_string(server->port()) + ": "));
}

TEST(HttpServer, ServersMayShareTheirWorkers) {
  IoPool io;
  const auto pool = std::make_shared<WorkerPool>("shared", 2);
  const auto one = echo_server(io, {.pool = pool});
  const auto two = echo_server(io, {.pool = pool});

  EXPECT_EQ(value_of(HttpClient(io, plain_client(one->port())).request({.target = "/1"}, soon())).body,
            "GET /1 ");
  EXPECT_EQ(value_of(HttpClient(io, plain_client(two->port())).request({.target = "/2"}, soon())).body,
            "GET /2 ");
}

}  // namespace
}  // namespace capstan::net
