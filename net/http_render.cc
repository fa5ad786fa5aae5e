#include "net/http_render.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/try.h"
#include "net/http_parser.h"

namespace capstan::net {
namespace {

bool is_target(std::string_view target) {
  return !target.empty() && std::ranges::all_of(target, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte < 0x7f;
  });
}

bool breaks_line(std::string_view value) {
  return value.find_first_of(std::string_view("\r\n\0", 3)) != value.npos;
}

Result<void> append_headers(std::string& out, const Headers& headers) {
  for (const auto& [name, value] : headers) {
    if (!is_token(name)) return fail(Code::Invalid, fmt::format("header name {:?} is not a token", name));
    if (breaks_line(value)) return fail(Code::Invalid, fmt::format("header {} holds a line break", name));
    fmt::format_to(std::back_inserter(out), "{}: {}\r\n", name, value);
  }
  return {};
}

bool wants_length(const HttpRequest& request) {
  return !request.body.empty() || request.method == "POST" || request.method == "PUT" ||
         request.method == "PATCH";
}

}  // namespace

Result<std::string> render_request(const HttpRequest& request, std::string_view host) {
  if (!is_token(request.method)) return fail(Code::Invalid, "the request method is not a token");
  if (!is_target(request.target))
    return fail(Code::Invalid, "the request target is empty or holds a blank or line break");
  if (breaks_line(host)) return fail(Code::Invalid, "the host holds a line break");
  std::string out;
  out.reserve(256 + request.body.size());
  fmt::format_to(std::back_inserter(out), "{} {} HTTP/1.1\r\n", request.method, request.target);
  if (!find_header(request.headers, "host")) fmt::format_to(std::back_inserter(out), "Host: {}\r\n", host);
  TRY(append_headers(out, request.headers));
  if (wants_length(request) && !find_header(request.headers, "content-length")) {
    fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", request.body.size());
  }
  out += "\r\n";
  out += request.body;
  return out;
}

Result<std::string> render_response_head(const ResponseHead& head) {
  std::string out = fmt::format("HTTP/1.1 {} {}\r\n", head.status, reason_phrase(head.status));
  if (!head.date.empty()) fmt::format_to(std::back_inserter(out), "Date: {}\r\n", head.date);
  if (head.headers != nullptr) TRY(append_headers(out, *head.headers));
  switch (head.framing) {
    case BodyFraming::Length:
      fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", head.length);
      break;
    case BodyFraming::Chunked: out += "Transfer-Encoding: chunked\r\n"; break;
    case BodyFraming::None:
    case BodyFraming::UntilClose: break;
  }
  if (!head.keep_alive) out += "Connection: close\r\n";
  out += "\r\n";
  return out;
}

void append_chunk(std::string& out, std::string_view bytes) {
  fmt::format_to(std::back_inserter(out), "{:x}\r\n", bytes.size());
  out += bytes;
  out += "\r\n";
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 100: return "Continue";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 301: return "Moved Permanently";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "Status";
  }
}

std::string http_date(WallTime now) {
  constexpr std::string_view days = "SunMonTueWedThuFriSat";
  constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(seconds - day);
  return fmt::format(
      "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", days.substr(std::chrono::weekday(day).c_encoding() * 3, 3),
      static_cast<unsigned>(date.day()), months.substr((static_cast<unsigned>(date.month()) - 1) * 3, 3),
      static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace capstan::net
