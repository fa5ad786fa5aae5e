#include "kube/status.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "api/schema/decode.h"

namespace capstan::kube {
namespace {

struct ReasonRow {
  std::string_view reason;
  Code code;
};
// A reason says more than the number: ServerTimeout comes with 500, AlreadyExists with 409.
constexpr std::array kReasons = {
    ReasonRow{"Unauthorized", Code::Unauthorized},
    ReasonRow{"Forbidden", Code::Forbidden},
    ReasonRow{"NotFound", Code::NotFound},
    ReasonRow{"AlreadyExists", Code::AlreadyExists},
    ReasonRow{"Conflict", Code::Conflict},
    ReasonRow{"Gone", Code::Gone},
    ReasonRow{"Expired", Code::Gone},
    ReasonRow{"Invalid", Code::Invalid},
    ReasonRow{"BadRequest", Code::Invalid},
    ReasonRow{"MethodNotAllowed", Code::Invalid},
    ReasonRow{"NotAcceptable", Code::Invalid},
    ReasonRow{"RequestEntityTooLarge", Code::Invalid},
    ReasonRow{"UnsupportedMediaType", Code::Invalid},
    ReasonRow{"ServerTimeout", Code::Timeout},
    ReasonRow{"Timeout", Code::Timeout},
    ReasonRow{"TooManyRequests", Code::RateLimited},
    ReasonRow{"ServiceUnavailable", Code::Unavailable},
    ReasonRow{"StorageReadError", Code::Internal},
    ReasonRow{"InternalError", Code::Internal},
};

Code code_of_http(int code) {
  switch (code) {
    case 401: return Code::Unauthorized;
    case 403: return Code::Forbidden;
    case 404: return Code::NotFound;
    case 408:
    case 504: return Code::Timeout;
    case 409: return Code::Conflict;
    case 410: return Code::Gone;
    case 429: return Code::RateLimited;
    case 502:
    case 503: return Code::Unavailable;
    default: break;
  }
  if (code >= 400 && code < 500) return Code::Invalid;
  // 1xx and 3xx: no API server answers like this, so it is a proxy in between.
  return code >= 500 ? Code::Internal : Code::Unavailable;
}

Code code_of(std::string_view reason, int code) {
  const auto row = std::ranges::find(kReasons, reason, &ReasonRow::reason);
  return row == kReasons.end() ? code_of_http(code) : row->code;
}

std::optional<std::chrono::seconds> seconds_of(std::string_view text) {
  std::int64_t seconds = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr std::int64_t kLongest = 3600;  // a server must not be able to send us to sleep
  if (error != std::errc() || rest != text.data() + text.size() || seconds < 0) return {};
  return std::chrono::seconds(std::min(seconds, kLongest));
}

// Enough of a foreign body to recognise who wrote it; one line, printable.
std::string excerpt(std::string_view body) {
  constexpr std::size_t kShown = 200;
  std::string text;
  for (const char c : body.substr(0, kShown)) {
    const bool printable = static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7F;
    if (printable || (!text.empty() && text.back() != ' ')) text += printable ? c : ' ';
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string bounded(std::string_view message) {
  constexpr std::size_t kLongest = 4096;
  if (message.size() <= kLongest) return std::string(message);
  return std::string(message.substr(0, kLongest)) + "...";
}

// What may be said of another server's message: one line, and not a long one.
std::string cut(std::string_view message) {
  constexpr std::size_t kLongest = 512;
  constexpr std::string_view kDots = "...";
  std::string line;
  for (const char c : message) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (!control || (!line.empty() && line.back() != ' ')) line += control ? ' ' : c;
    if (line.size() > kLongest) break;
  }
  if (line.size() <= kLongest) return line;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;  // between characters
  return line.substr(0, end).append(kDots);
}

std::optional<api::Status> status_in(std::string_view body) {
  const auto first = body.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || body[first] != '{') return {};
  auto status = api::decode<api::Status>(body);
  if (!status || status->status.view() != "Failure") return {};
  return std::move(*status);
}

bool is_whole(const api::Status& status) {
  return status.kind.view() == "Status" && status.api_version.view() == "v1" &&
         status.status.view() == "Failure";
}

bool is_refusal(int code) { return code >= 400 && code < 600; }

// One word, as all reasons are.
bool is_reason(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  return text.size() <= kLongest && std::ranges::all_of(text, is_letter);
}

// A word of Kubernetes is no word of the server that sent it.
std::string known_reason(std::string_view text) {
  const auto row = std::ranges::find(kReasons, text, &ReasonRow::reason);
  return row == kReasons.end() ? std::string() : std::string(row->reason);
}

// The causes that an eviction is judged by.
std::string known_cause(std::string_view text) {
  constexpr std::array kCauses = {std::string_view("DisruptionBudget"),
                                  std::string_view("NamespaceTerminating")};
  return std::ranges::find(kCauses, text) == kCauses.end() ? std::string() : std::string(text);
}

Error without_words(int code, Error error) {
  error.reason = known_reason(error.reason);
  error.message = "http " + std::to_string(code) + " with a Status" +
                  (error.reason.empty() ? "" : " (" + error.reason + ")") +
                  " of a server that TLS does not verify";
  for (Cause& cause : error.causes) {
    cause = {.reason = known_cause(cause.reason)};
    cause.message = cause.reason;
  }
  return error;
}

Error with_few_words(Error error) {
  if (!is_reason(error.reason)) error.reason.clear();
  error.message = cut(error.message);
  for (Cause& cause : error.causes)
    cause = {.reason = is_reason(cause.reason) ? cause.reason : std::string(), .message = cut(cause.message)};
  return error;
}

Error quoted_no_more_than(Quoting quoting, int code, Error error) {
  constexpr std::size_t kMostCauses = 5;
  if (quoting != Quoting::Everything && error.causes.size() > kMostCauses) error.causes.resize(kMostCauses);
  switch (quoting) {
    case Quoting::Everything: break;
    case Quoting::VerifiedStatus: return with_few_words(std::move(error));
    case Quoting::Nothing: return without_words(code, std::move(error));
  }
  return error;
}

Error foreign_refusal(const Refusal& refusal, Asked asked, Quoting quoting) {
  const std::string shown = quoting == Quoting::Everything ? excerpt(refusal.body) : std::string();
  Error error{.code = code_of_http(refusal.code),
              .message = "http " + std::to_string(refusal.code) + " without a Status" +
                         (shown.empty() ? "" : ": " + shown)};
  if (refusal.code == 404 && asked != Asked::Path) {
    error.code = Code::Unavailable;
    error.reason = kNotServed;
  }
  return error;
}

}  // namespace

Error error_of(const Refusal& refusal, Asked asked, Quoting quoting) {
  auto status = status_in(refusal.body);
  if (status && quoting != Quoting::Everything && (!is_whole(*status) || !is_refusal(refusal.code)))
    status.reset();
  if (status && (status->code == 0 || quoting != Quoting::Everything)) status->code = refusal.code;
  Error error = status ? error_of(*status, quoting) : foreign_refusal(refusal, asked, quoting);
  if (refusal.retry_after) {
    const auto header = seconds_of(*refusal.retry_after);
    if (header) error.retry_after = std::max(*header, error.retry_after.value_or(std::chrono::seconds(0)));
  }
  error.outcome_unknown = asked == Asked::Write && refusal.code >= 500;
  return error;
}

Error error_of(const api::Status& status, Quoting quoting) {
  if (quoting != Quoting::Everything && (!is_whole(status) || !is_refusal(status.code)))
    return foreign_refusal({.code = is_refusal(status.code) ? status.code : 500}, Asked::Path, quoting);
  Error error{.code = code_of(status.reason.view(), status.code),
              .message = bounded(status.message.view()),
              .reason = std::string(status.reason.view())};
  if (error.message.empty()) error.message = "http " + std::to_string(status.code);
  if (status.details.retry_after_seconds > 0) {
    error.retry_after = seconds_of(std::to_string(status.details.retry_after_seconds));
  }
  for (const auto& cause : status.details.causes) {
    error.causes.push_back({.field = std::string(cause.field.view()),
                            .reason = std::string(cause.reason.view()),
                            .message = bounded(cause.message.view())});
  }
  return quoted_no_more_than(quoting, status.code, std::move(error));
}

}  // namespace capstan::kube
