#include "net/http_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http_render.h"

namespace capstan::net {
namespace {

using Role = MessageParser::Role;
using Event = MessageParser::Event;

struct Parsed {
  Event end = Event::NeedMore;
  MessageHead head = {};
  std::string body = {};
  MessageFault fault = MessageFault::None;
  std::string text = {};
  std::size_t left = 0;
};

Parsed parse(MessageParser& parser, std::string_view bytes, std::size_t cut = std::string_view::npos,
             bool closed = false) {
  Parsed parsed;
  const auto feed = [&](MessageParser::Step step) {
    if (step.event == Event::Head) parsed.head = parser.head();
    parsed.body += step.body;
    parsed.end = step.event;
    return step.consumed;
  };
  const auto over = [&] { return parsed.end == Event::End || parsed.end == Event::Fault; };
  while (!bytes.empty() && !over()) {
    std::string_view piece = bytes.substr(0, cut);
    std::size_t used = 0;
    do {
      used += feed(parser.next(piece.substr(used)));
    } while (!over() && parsed.end != Event::NeedMore);
    bytes.remove_prefix(parsed.end == Event::NeedMore ? piece.size() : used);
  }
  if (closed && !over()) feed(parser.end_of_input());
  parsed.left = bytes.size();
  parsed.fault = parser.fault();
  parsed.text = parser.fault_text();
  return parsed;
}

Parsed request(std::string_view bytes, MessageLimits limits = {}) {
  MessageParser parser(Role::Request, limits);
  return parse(parser, bytes);
}

Parsed response(std::string_view bytes, bool closed = true) {
  MessageParser parser(Role::Response, {});
  return parse(parser, bytes, std::string_view::npos, closed);
}

TEST(MessageParser, ReadsTheSameRequestHoweverItIsCut) {
  const std::string bytes =
      "POST /a?b HTTP/1.1\r\nHost: x\r\nX-Two:  spaced value \r\ncontent-length: 5\r\n\r\nhelloGET /next";

  for (std::size_t cut = 1; cut <= bytes.size(); ++cut) {
    MessageParser parser(Role::Request, {});
    const Parsed parsed = parse(parser, bytes, cut);
    ASSERT_EQ(parsed.end, Event::End) << cut << " " << parsed.text;
    EXPECT_EQ(parsed.head.method, "POST");
    EXPECT_EQ(parsed.head.target, "/a?b");
    EXPECT_EQ(find_header(parsed.head.headers, "x-TWO"), "spaced value");
    EXPECT_TRUE(parsed.head.keep_alive);
    EXPECT_EQ(parsed.body, "hello");
    EXPECT_EQ(parsed.left, std::string_view("GET /next").size());
  }
}

TEST(MessageParser, ReadsTheSameChunkedBodyHoweverItIsCut) {
  const std::string bytes =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n00a;name=\"v\"\r\n, "
      "chunked!\r\n0\r\nTrailer: x\r\n\r\nrest";

  for (std::size_t cut = 1; cut <= bytes.size(); ++cut) {
    MessageParser parser(Role::Response, {});
    const Parsed parsed = parse(parser, bytes, cut);
    ASSERT_EQ(parsed.end, Event::End) << cut << " " << parsed.text;
    EXPECT_EQ(parsed.body, "hello, chunked!");
    EXPECT_EQ(parsed.left, 4U);
  }
}

TEST(MessageParser, ReadsOneMessageAfterTheOther) {
  MessageParser parser(Role::Request, {});

  const Parsed first = parse(parser, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
  parser.restart();
  const Parsed second = parse(parser, "\r\nDELETE /2 HTTP/1.0\r\n\r\n");

  EXPECT_EQ(first.head.target, "/1");
  EXPECT_EQ(second.end, Event::End);
  EXPECT_EQ(second.head.method, "DELETE");
  EXPECT_FALSE(second.head.keep_alive);
}

TEST(MessageParser, ResponsesWithoutABodyEndWithTheirHead) {
  for (const char* status : {"204 No Content", "304 Not Modified", "100 Continue"}) {
    EXPECT_EQ(response(std::string("HTTP/1.1 ") + status + "\r\nContent-Length: 5\r\n\r\n", false).end,
              Event::End)
        << status;
  }
  MessageParser parser(Role::Response, {});
  parser.expect_no_body();
  EXPECT_EQ(parse(parser, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n").end, Event::End);
}

TEST(MessageParser, AResponseWithoutALengthLastsUntilTheConnectionCloses) {
  const Parsed parsed = response("HTTP/1.1 200\r\n\r\nsome bytes");

  EXPECT_EQ(parsed.end, Event::End);
  EXPECT_EQ(parsed.body, "some bytes");
  EXPECT_FALSE(parsed.head.keep_alive);
}

TEST(MessageParser, SaysWhenAMessageWasCut) {
  EXPECT_EQ(response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc").fault, MessageFault::Truncated);
  EXPECT_EQ(response("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n").fault,
            MessageFault::Truncated);
  EXPECT_EQ(response("HTTP/1.1 200 OK\r\nConte").text, "closed before the end of the headers");
}

struct Bad {
  const char* bytes;
  MessageFault fault;
};

class BadRequest : public testing::TestWithParam<Bad> {};

TEST_P(BadRequest, IsRefused) {
  const Parsed parsed = request(GetParam().bytes);

  EXPECT_EQ(parsed.end, Event::Fault) << GetParam().bytes;
  EXPECT_EQ(parsed.fault, GetParam().fault) << parsed.text;
  EXPECT_NE(parsed.text, "");
}

INSTANTIATE_TEST_SUITE_P(
    MessageParser, BadRequest,
    testing::Values(
        Bad{"nonsense\r\n\r\n", MessageFault::Malformed}, Bad{"GET /\r\n\r\n", MessageFault::Malformed},
        Bad{"G(T / HTTP/1.1\r\n\r\n", MessageFault::Malformed},
        Bad{"GET  HTTP/1.1\r\n\r\n", MessageFault::Malformed},
        Bad{"GET /a b HTTP/1.1\r\n\r\n", MessageFault::Malformed},
        Bad{"GET /\x01 HTTP/1.1\r\n\r\n", MessageFault::Malformed},
        Bad{"GET / HTTP/2.0\r\n\r\n", MessageFault::UnknownVersion},
        Bad{"GET / SPDY/1\r\n\r\n", MessageFault::Malformed},
        Bad{"GET / HTTP/1.1\r\nNo colon\r\n\r\n", MessageFault::Malformed},
        Bad{"GET / HTTP/1.1\r\nSpaced : x\r\n\r\n", MessageFault::Malformed},
        Bad{"GET / HTTP/1.1\r\n: x\r\n\r\n", MessageFault::Malformed},
        Bad{"GET / HTTP/1.1\r\nA: x\r\n folded\r\n\r\n", MessageFault::Malformed},
        Bad{"GET / HTTP/1.1\r\nA: x\ny\r\n\r\n", MessageFault::Malformed},
        Bad{"GET / HTTP/1.1\r\nA: x\ry\r\n\r\n", MessageFault::Malformed},
        Bad{"POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n", MessageFault::Malformed},
        Bad{"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", MessageFault::Malformed},
        Bad{"POST / HTTP/1.1\r\nContent-Length: 5, 5\r\n\r\n", MessageFault::Malformed},
        Bad{"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", MessageFault::Malformed},
        Bad{"POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
            MessageFault::Malformed},
        Bad{"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", MessageFault::Malformed},
        Bad{"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", MessageFault::UnknownCoding},
        Bad{"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", MessageFault::Malformed},
        Bad{"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd", MessageFault::Malformed},
        Bad{"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc", MessageFault::Malformed},
        Bad{"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1000000000000000\r\n",
            MessageFault::Malformed},
        Bad{"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nbad\x01trailer\r\n\r\n",
            MessageFault::Malformed}));

TEST(MessageParser, RefusesANulInAHeader) {
  EXPECT_EQ(request(std::string_view("GET / HTTP/1.1\r\nA: x\0y\r\n\r\n", 26)).fault,
            MessageFault::Malformed);
}

TEST(MessageParser, RefusesWhatIsNoHttp) {
  EXPECT_EQ(request("\x16\x03\x01 a TLS greeting").fault, MessageFault::Malformed);
  EXPECT_EQ(response("SSH-2.0-OpenSSH_9.2\r\n\r\n").fault, MessageFault::Malformed);
  EXPECT_EQ(response("HTTP/1.1 2x0 OK\r\n\r\n").fault, MessageFault::Malformed);
  EXPECT_EQ(response("HTTP/2 200 OK\r\n\r\n").fault, MessageFault::Malformed);
}

TEST(MessageParser, HoldsNoMoreOfAnEndlessHeaderThanItsLimit) {
  MessageParser parser(Role::Request, {.head_bytes = 4096});
  parse(parser, "GET / HTTP/1.1\r\nX: ");
  const std::string chunk(1000, 'x');

  int fed = 0;
  while (parser.next(chunk).event == Event::NeedMore && fed < 100) ++fed;

  EXPECT_LT(fed, 5);
  EXPECT_EQ(parser.fault(), MessageFault::HeadTooLarge);
}

TEST(MessageParser, TellsALongTargetFromLargeHeaders) {
  const std::string target(5000, 'x');

  EXPECT_EQ(request("GET /" + target, {.target_bytes = 4096}).fault, MessageFault::TargetTooLong);
  EXPECT_EQ(request("GET /" + target + " HTTP/1.1\r\n\r\n", {.target_bytes = 4096}).fault,
            MessageFault::TargetTooLong);
  EXPECT_EQ(request("GET /" + target + " HTTP/1.1\r\n\r\n").end, Event::End);
}

TEST(MessageParser, CountsHeaders) {
  std::string bytes = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 10; ++i) bytes += "a: b\r\n";

  EXPECT_EQ(request(bytes + "\r\n", {.headers = 10}).end, Event::End);
  EXPECT_EQ(request(bytes + "a: b\r\n\r\n", {.headers = 10}).fault, MessageFault::TooManyHeaders);
}

TEST(MessageParser, LimitsTheBodyAlsoWhenChunked) {
  const MessageLimits limits = {.body_bytes = 8};

  EXPECT_EQ(request("POST / HTTP/1.1\r\nContent-Length: 8\r\n\r\n12345678", limits).end, Event::End);
  EXPECT_EQ(request("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n", limits).fault,
            MessageFault::BodyTooLarge);
  EXPECT_EQ(
      request("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n3\r\n678\r\n0\r\n\r\n",
              limits)
          .end,
      Event::End);
  EXPECT_EQ(
      request("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n4\r\n6789\r\n", limits)
          .fault,
      MessageFault::BodyTooLarge);
}

TEST(MessageParser, LimitsWhatStandsBetweenChunks) {
  const std::string begin = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";

  EXPECT_EQ(request(begin + "1;" + std::string(500, 'x')).fault, MessageFault::Malformed);
  EXPECT_EQ(request(begin + "0\r\n" + std::string(100'000, 'x')).fault, MessageFault::HeadTooLarge);
}

TEST(Render, RefusesWhatWouldBreakOutOfItsLine) {
  EXPECT_TRUE(render_request({.target = "/a%20b", .headers = {{"X-A", "b c"}}}, "host"));
  EXPECT_FALSE(render_request({.target = "/a b"}, "host"));
  EXPECT_FALSE(render_request({.target = "/a\r\nX: y"}, "host"));
  EXPECT_FALSE(render_request({.target = ""}, "host"));
  EXPECT_FALSE(render_request({.method = "GET /x HTTP/1.1\r\nA:", .target = "/"}, "host"));
  EXPECT_FALSE(render_request({.headers = {{"X-A", "b\r\nX: y"}}}, "host"));
  EXPECT_FALSE(render_request({.headers = {{"X-A", "b\nX: y"}}}, "host"));
  EXPECT_FALSE(render_request({.headers = {{"X A", "b"}}}, "host"));
  EXPECT_FALSE(render_request({.headers = {{"X-A:", "b"}}}, "host"));
  const Headers evil = {{"X-A", "b\r\nSet-Cookie: c"}};
  EXPECT_FALSE(render_response_head({.headers = &evil}));
}

TEST(Render, AddsHostAndLength) {
  EXPECT_EQ(*render_request({.method = "POST", .target = "/x", .body = "ab"}, "h:1"),
            "POST /x HTTP/1.1\r\nHost: h:1\r\nContent-Length: 2\r\n\r\nab");
  EXPECT_EQ(*render_request({.headers = {{"host", "own"}}}, "h:1"), "GET / HTTP/1.1\r\nhost: own\r\n\r\n");
}

TEST(Render, WritesDatesAsHttpWantsThem) {
  EXPECT_EQ(http_date(WallTime(std::chrono::seconds(784111777))), "Sun, 06 Nov 1994 08:49:37 GMT");
}

}  // namespace
}  // namespace capstan::net
