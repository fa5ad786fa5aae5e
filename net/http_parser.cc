#include "net/http_parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace capstan::net {
namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::size_t kMaxChunkLine = 256;
constexpr std::size_t kMaxMethod = 32;
constexpr std::size_t kVersionAndBlanks = 16;  // " HTTP/1.1\r" and a little
constexpr int kMaxSizeDigits = 15;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_token_char(char c) {
  if ((c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_value_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

bool is_target_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte < 0x7f;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

std::optional<std::uint64_t> decimal(std::string_view text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

}  // namespace

MessageParser::Step MessageParser::next(std::string_view input) {
  switch (state_) {
    case State::Head: return read_head(input);
    case State::Body: return read_body(input);
    case State::Ended: return {.event = Event::End};
    case State::Faulty: return stop(0);
  }
  return stop(0);
}

MessageParser::Step MessageParser::end_of_input() {
  if (state_ == State::Ended) return {.event = Event::End};
  if (state_ == State::Body && body_ == Body::UntilClose) {
    state_ = State::Ended;
    return {.event = Event::End};
  }
  if (state_ != State::Faulty) {
    broken(MessageFault::Truncated, state_ == State::Head ? "closed before the end of the headers"
                                                          : "closed in the middle of the body");
  }
  return stop(0);
}

void MessageParser::restart() {
  const Role role = role_;
  const MessageLimits limits = limits_;
  *this = MessageParser(role, limits);
}

MessageParser::Step MessageParser::read_head(std::string_view input) {
  std::size_t skipped = 0;
  if (!started_ && role_ == Role::Request) {  // a stray empty line between requests is tolerated
    while (skipped < input.size() && skipped_ < 2 && (input[skipped] == '\r' || input[skipped] == '\n')) {
      ++skipped;
      ++skipped_;
    }
  }
  if (skipped == input.size()) return {.event = Event::NeedMore, .consumed = skipped};
  if (!started_ && !is_token_char(input[skipped])) {  // a TLS greeting would wait for its end of line forever
    broken(MessageFault::Malformed, "this is no HTTP");
    return stop(input.size());
  }
  started_ = true;

  const std::size_t before = buffer_.size();
  const std::size_t room = limits_.head_bytes + kEndOfHead.size() - before;
  buffer_.append(input.substr(skipped, room));
  const std::size_t end = buffer_.find(kEndOfHead, searched_);
  if (end != std::string::npos) {
    const std::size_t consumed = skipped + end + kEndOfHead.size() - before;
    const bool good = parse_head(std::string_view(buffer_).substr(0, end));
    buffer_ = {};  // an idle stream keeps nothing
    if (!good) return stop(consumed);
    state_ = State::Body;
    return {.event = Event::Head, .consumed = consumed};
  }
  searched_ = buffer_.size() < kEndOfHead.size() ? 0 : buffer_.size() - kEndOfHead.size() + 1;
  const std::size_t first_line = std::min(buffer_.find('\n'), buffer_.size());
  if (role_ == Role::Request && first_line > limits_.target_bytes + kMaxMethod + kVersionAndBlanks) {
    broken(MessageFault::TargetTooLong,
           fmt::format("request line longer than {} bytes", limits_.target_bytes));
    return stop(input.size());
  }
  if (buffer_.size() >= limits_.head_bytes + kEndOfHead.size()) {
    broken(MessageFault::HeadTooLarge, fmt::format("headers larger than {} bytes", limits_.head_bytes));
    return stop(input.size());
  }
  return {.event = Event::NeedMore, .consumed = input.size()};
}

bool MessageParser::parse_head(std::string_view text) {
  if (text.size() > limits_.head_bytes) {
    return broken(MessageFault::HeadTooLarge,
                  fmt::format("headers larger than {} bytes", limits_.head_bytes));
  }
  const std::size_t first_end = std::min(text.find("\r\n"), text.size());
  const std::string_view first = text.substr(0, first_end);
  if (!(role_ == Role::Request ? parse_request_line(first) : parse_status_line(first))) return false;
  text.remove_prefix(std::min(first_end + 2, text.size()));
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\r\n"), text.size());
    if (head_.headers.size() >= limits_.headers) {
      return broken(MessageFault::TooManyHeaders, fmt::format("more than {} headers", limits_.headers));
    }
    if (!parse_header(text.substr(0, end))) return false;
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return decide_keep_alive() && decide_body();
}

bool MessageParser::parse_request_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last)
    return broken(MessageFault::Malformed, "malformed request line");
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (!is_token(method) || method.size() > kMaxMethod)
    return broken(MessageFault::Malformed, "malformed method");
  if (target.size() > limits_.target_bytes) {
    return broken(MessageFault::TargetTooLong,
                  fmt::format("request target longer than {} bytes", limits_.target_bytes));
  }
  if (target.empty() || !std::ranges::all_of(target, is_target_char)) {
    return broken(MessageFault::Malformed, "malformed request target");
  }
  head_.method = method;
  head_.target = target;
  return parse_version(line.substr(last + 1));
}

bool MessageParser::parse_status_line(std::string_view line) {
  // "HTTP/1.1 200 OK"; the reason phrase is ignored and may be missing.
  if (line.size() < 12 || line[8] != ' ') return broken(MessageFault::Malformed, "not an HTTP/1 response");
  if (!parse_version(line.substr(0, 8))) return false;
  const auto status = decimal(line.substr(9, 3));
  if (!status || *status < 100 || (line.size() > 12 && line[12] != ' ')) {
    return broken(MessageFault::Malformed, "malformed status line");
  }
  head_.status = static_cast<int>(*status);
  return true;
}

bool MessageParser::parse_version(std::string_view version) {
  if (version == "HTTP/1.1" || version == "HTTP/1.0") {
    head_.minor_version = version.back() - '0';
    return true;
  }
  if (version.starts_with("HTTP/"))
    return broken(MessageFault::UnknownVersion, "only HTTP/1.1 is spoken here");
  return broken(MessageFault::Malformed, "not HTTP");
}

bool MessageParser::parse_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return broken(MessageFault::Malformed, "malformed header name");
  }
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!std::ranges::all_of(value, is_value_char)) {
    return broken(MessageFault::Malformed, role_ == Role::Request
                                               ? fmt::format("control character in header {}", name)
                                               : "control character in a header");
  }
  head_.headers.emplace_back(name, value);
  return true;
}

bool MessageParser::decide_keep_alive() {
  head_.keep_alive = head_.minor_version == 1;
  for (const auto& [name, value] : head_.headers) {
    if (!equal_ignoring_case(name, "connection")) continue;
    if (has_token(value, "close")) {
      head_.keep_alive = false;
      return true;
    }
    if (has_token(value, "keep-alive")) head_.keep_alive = true;
  }
  return true;
}

bool MessageParser::decide_body() {
  std::optional<std::string_view> length;
  std::optional<std::string_view> coding;
  for (const auto& [name, value] : head_.headers) {
    if (equal_ignoring_case(name, "content-length")) {
      if (length) return broken(MessageFault::Malformed, "two Content-Length headers");
      length = value;
    } else if (equal_ignoring_case(name, "transfer-encoding")) {
      if (coding) return broken(MessageFault::Malformed, "two Transfer-Encoding headers");
      coding = value;
    }
  }
  const bool bodiless_status = head_.status / 100 == 1 || head_.status == 204 || head_.status == 304;
  if (role_ == Role::Response && (no_body_ || bodiless_status)) return true;
  if (coding) {
    // Both framings in one message is how requests are smuggled past proxies.
    if (length && role_ == Role::Request) {
      return broken(MessageFault::Malformed, "both Content-Length and Transfer-Encoding");
    }
    if (head_.minor_version == 0) return broken(MessageFault::Malformed, "Transfer-Encoding in HTTP/1.0");
    if (!equal_ignoring_case(*coding, "chunked")) {
      return broken(MessageFault::UnknownCoding, "the only transfer coding known here is chunked");
    }
    if (length) head_.keep_alive = false;
    body_ = Body::Chunked;
    return true;
  }
  if (length) {
    const auto bytes = decimal(*length);
    if (!bytes) return broken(MessageFault::Malformed, "malformed Content-Length");
    remaining_ = *bytes;
    body_ = remaining_ > 0 ? Body::Length : Body::None;
    return remaining_ <= limits_.body_bytes || count_body(remaining_);
  }
  if (role_ == Role::Response) {
    body_ = Body::UntilClose;
    head_.keep_alive = false;
  }
  return true;
}

MessageParser::Step MessageParser::read_body(std::string_view input) {
  switch (body_) {
    case Body::None: state_ = State::Ended; return {.event = Event::End};
    case Body::Chunked: return read_chunked(input);
    case Body::UntilClose:
      if (input.empty()) return {};
      if (!count_body(input.size())) return stop(0);
      return {.event = Event::Body, .consumed = input.size(), .body = input};
    case Body::Length: break;
  }
  if (remaining_ == 0) {
    state_ = State::Ended;
    return {.event = Event::End};
  }
  if (input.empty()) return {};
  const std::size_t take = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, input.size()));
  remaining_ -= take;
  return {.event = Event::Body, .consumed = take, .body = input.substr(0, take)};
}

MessageParser::Step MessageParser::read_chunked(std::string_view input) {
  std::size_t at = 0;
  while (at < input.size()) {
    if (chunk_ == Chunk::Bytes) {
      const std::size_t take =
          static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, input.size() - at));
      if (!count_body(take)) return stop(at);
      remaining_ -= take;
      if (remaining_ == 0) chunk_ = Chunk::BytesEnd;
      return {.event = Event::Body, .consumed = at + take, .body = input.substr(at, take)};
    }
    if (!chunk_framing(input[at++])) return stop(at);
    if (state_ == State::Ended) return {.event = Event::End, .consumed = at};
  }
  return {.event = Event::NeedMore, .consumed = at};
}

// One byte of what stands between the chunks.
bool MessageParser::chunk_framing(char c) {
  switch (chunk_) {
    case Chunk::Size:
      if (hex_value(c) >= 0) return chunk_size_digit(c);
      if (size_digits_ == 0) return broken(MessageFault::Malformed, "malformed chunk size");
      if (c == '\r')
        chunk_ = Chunk::SizeEnd;
      else if (c == ';' || c == ' ' || c == '\t')
        chunk_ = Chunk::Extension;
      else
        return broken(MessageFault::Malformed, "malformed chunk size");
      return true;
    case Chunk::Extension:
      if (c == '\r')
        chunk_ = Chunk::SizeEnd;
      else if (!is_value_char(c))
        return broken(MessageFault::Malformed, "malformed chunk extension");
      if (++line_bytes_ > kMaxChunkLine) return broken(MessageFault::Malformed, "endless chunk extension");
      return true;
    case Chunk::SizeEnd:
      if (c != '\n') return broken(MessageFault::Malformed, "malformed chunk size");
      chunk_ = remaining_ > 0 ? Chunk::Bytes : Chunk::Trailer;
      line_bytes_ = 0;
      size_digits_ = 0;
      line_empty_ = true;
      return true;
    case Chunk::BytesEnd:
      chunk_ = Chunk::BytesEndLf;
      return c == '\r' || broken(MessageFault::Malformed, "chunk longer than its size");
    case Chunk::BytesEndLf:
      chunk_ = Chunk::Size;
      return c == '\n' || broken(MessageFault::Malformed, "chunk longer than its size");
    case Chunk::Trailer:
      if (++line_bytes_ > limits_.head_bytes) return broken(MessageFault::HeadTooLarge, "endless trailers");
      if (c == '\r')
        chunk_ = Chunk::TrailerLf;
      else if (!is_value_char(c))
        return broken(MessageFault::Malformed, "malformed trailer");
      else
        line_empty_ = false;
      return true;
    case Chunk::TrailerLf:
      if (c != '\n') return broken(MessageFault::Malformed, "malformed trailer");
      if (line_empty_) state_ = State::Ended;
      line_empty_ = true;
      chunk_ = Chunk::Trailer;
      return true;
    case Chunk::Bytes: break;
  }
  return true;
}

bool MessageParser::chunk_size_digit(char c) {
  if (++size_digits_ > kMaxSizeDigits) return broken(MessageFault::Malformed, "absurd chunk size");
  remaining_ = remaining_ * 16 + static_cast<std::uint64_t>(hex_value(c));
  return true;
}

bool MessageParser::count_body(std::uint64_t bytes) {
  body_total_ += bytes;
  if (body_total_ <= limits_.body_bytes) return true;
  return broken(MessageFault::BodyTooLarge, fmt::format("body larger than {} bytes", limits_.body_bytes));
}

bool MessageParser::broken(MessageFault fault, std::string text) {
  state_ = State::Faulty;
  fault_ = fault;
  fault_text_ = std::move(text);
  buffer_ = {};
  return false;
}

std::optional<std::string_view> find_header(const Headers& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (equal_ignoring_case(key, name)) return value;
  }
  return std::nullopt;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool has_token(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (equal_ignoring_case(trimmed(list.substr(0, comma)), token)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

bool is_token(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_token_char); }

}  // namespace capstan::net
