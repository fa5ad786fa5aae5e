// HTTP/1.1 messages from bytes, both roles, with a limit on everything the other side chooses. Pure: no I/O,
// no clock. The client's and the server's connections feed it; the fuzz target feeds it garbage. One thread
// at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "net/http_message.h"

namespace capstan::net {

struct MessageLimits {
  std::size_t head_bytes = 64U << 10;
  std::size_t headers = 256;
  std::size_t target_bytes = 16U << 10;
  std::uint64_t body_bytes = UINT64_MAX;
};

enum class MessageFault {
  None,
  Malformed,
  TargetTooLong,
  HeadTooLarge,
  TooManyHeaders,
  BodyTooLarge,
  UnknownCoding,
  UnknownVersion,
  Truncated,
};

struct MessageHead {
  std::string method = {};  // requests
  std::string target = {};  // requests
  int status = 0;           // responses
  int minor_version = 1;
  Headers headers = {};
  bool keep_alive = true;
};

class MessageParser {
 public:
  enum class Role { Request, Response };
  enum class Event { NeedMore, Head, Body, End, Fault };
  // `consumed` bytes of the input are done with; after NeedMore that is all of them. `body` points into the
  // input.
  struct Step {
    Event event = Event::NeedMore;
    std::size_t consumed = 0;
    std::string_view body = {};
  };

  MessageParser(Role role, MessageLimits limits) : role_(role), limits_(limits) {}

  // Call again with the rest until NeedMore, End or Fault. After End, restart() begins the next message.
  Step next(std::string_view input);
  // The other side will send nothing more: End when the body lasts until then, otherwise a fault.
  Step end_of_input();
  void restart();

  // Responses: the next message answers HEAD or CONNECT, so it has no body whatever its headers say.
  void expect_no_body() { no_body_ = true; }

  const MessageHead& head() const { return head_; }
  MessageHead take_head() { return std::move(head_); }
  bool has_body() const { return body_ != Body::None; }
  std::uint64_t content_length() const { return body_ == Body::Length ? remaining_ : 0; }  // right after Head
  bool started() const { return started_; }  // a byte of the message has been seen
  MessageFault fault() const { return fault_; }
  const std::string& fault_text() const { return fault_text_; }

 private:
  enum class State { Head, Body, Ended, Faulty };
  enum class Body { None, Length, Chunked, UntilClose };
  enum class Chunk { Size, Extension, SizeEnd, Bytes, BytesEnd, BytesEndLf, Trailer, TrailerLf };

  Step read_head(std::string_view input);
  bool parse_head(std::string_view text);
  bool parse_request_line(std::string_view line);
  bool parse_status_line(std::string_view line);
  bool parse_version(std::string_view version);
  bool parse_header(std::string_view line);
  bool decide_body();
  bool decide_keep_alive();
  Step read_body(std::string_view input);
  Step read_chunked(std::string_view input);
  bool chunk_size_digit(char c);
  bool chunk_framing(char c);
  bool count_body(std::uint64_t bytes);
  Step stop(std::size_t consumed) const { return {.event = Event::Fault, .consumed = consumed}; }
  bool broken(MessageFault fault, std::string text);

  Role role_;
  MessageLimits limits_;
  State state_ = State::Head;
  Body body_ = Body::None;
  Chunk chunk_ = Chunk::Size;
  bool started_ = false;
  bool no_body_ = false;
  std::string buffer_;        // the head so far
  std::size_t skipped_ = 0;   // bytes of an empty line before it
  std::size_t searched_ = 0;  // of buffer_, for the empty line
  MessageHead head_;
  std::uint64_t remaining_ = 0;   // of the body or of the chunk
  std::uint64_t body_total_ = 0;  // chunked or until close
  std::size_t line_bytes_ = 0;    // of a chunk's size line, or of all trailers
  int size_digits_ = 0;
  bool line_empty_ = true;  // of the trailer line so far
  MessageFault fault_ = MessageFault::None;
  std::string fault_text_;
};

// Case-insensitive lookup; nullopt when absent.
std::optional<std::string_view> find_header(const Headers& headers, std::string_view name);
bool equal_ignoring_case(std::string_view a, std::string_view b);
// Does a comma-separated header such as Connection hold this token?
bool has_token(std::string_view list, std::string_view token);
bool is_token(std::string_view text);  // RFC 9110 token: methods and header names

}  // namespace capstan::net
