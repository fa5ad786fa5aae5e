#include "apiserver/status_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "apiserver/document/field_error.h"

namespace capstan::apiserver {
namespace {

std::string qualified(const StatusSubject& subject) {
  return subject.group.empty() ? subject.plural : subject.plural + "." + subject.group;
}

json::object details_of(const StatusSubject& subject) {
  json::object details;
  if (!subject.name.empty()) details["name"] = subject.name;
  if (!subject.group.empty()) details["group"] = subject.group;
  if (!subject.plural.empty()) details["kind"] = subject.plural;
  return details;
}

json::array causes_of(const std::vector<StatusCause>& causes) {
  json::array array;
  for (const auto& cause : causes) {
    json::object one;
    if (!cause.reason.empty()) one["reason"] = cause.reason;
    if (!cause.message.empty()) one["message"] = cause.message;
    if (!cause.field.empty()) one["field"] = cause.field;
    array.push_back(std::move(one));
  }
  return array;
}

// One sentence for several errors: the same sentence is said once, several stand in brackets.
std::string aggregate(const std::vector<StatusCause>& causes) {
  std::vector<std::string> sentences;
  for (const auto& cause : causes) {
    auto sentence = fmt::format("{}: {}", cause.field, cause.message);
    if (std::ranges::find(sentences, sentence) == sentences.end()) sentences.push_back(std::move(sentence));
  }
  if (sentences.size() == 1) return sentences.front();
  return fmt::format("[{}]", fmt::join(sentences, ", "));
}

}  // namespace

Response status_error(int code, std::string_view reason, std::string message, json::object details) {
  json::object status{{"kind", "Status"},
                      {"apiVersion", "v1"},
                      {"metadata", json::object()},
                      {"status", "Failure"},
                      {"message", message}};
  if (!reason.empty()) status["reason"] = reason;
  if (!details.empty()) status["details"] = std::move(details);
  status["code"] = code;
  return {.status = code, .object = std::make_shared<const json::object>(std::move(status))};
}

Response not_found(const StatusSubject& subject) {
  return status_error(404, "NotFound",
                      fmt::format("{} {} not found", qualified(subject), quoted(subject.name)),
                      details_of(subject));
}

Response path_not_found() {
  return status_error(404, "NotFound", "the server could not find the requested resource");
}

Response already_exists(const StatusSubject& subject) {
  return status_error(409, "AlreadyExists",
                      fmt::format("{} {} already exists", qualified(subject), quoted(subject.name)),
                      details_of(subject));
}

Response conflict(const StatusSubject& subject, std::string_view why) {
  return status_error(409, "Conflict",
                      fmt::format("Operation cannot be fulfilled on {} {}: {}", qualified(subject),
                                  quoted(subject.name), why),
                      details_of(subject));
}

Response apply_conflict(std::string message, const std::vector<StatusCause>& causes) {
  return status_error(409, "Conflict", std::move(message), {{"causes", causes_of(causes)}});
}

Response invalid(const StatusSubject& subject, const std::vector<StatusCause>& causes) {
  auto details = details_of(subject);
  if (!causes.empty()) details["causes"] = causes_of(causes);
  auto message = fmt::format("{} {} is invalid", qualified(subject), quoted(subject.name));
  if (!causes.empty()) message += ": " + aggregate(causes);
  return status_error(422, "Invalid", std::move(message), std::move(details));
}

Response bad_request(std::string message) { return status_error(400, "BadRequest", std::move(message)); }

Response forbidden(const StatusSubject& subject, std::string_view why) {
  std::string message;
  if (subject.plural.empty()) {
    message = fmt::format("forbidden: {}", why);
  } else if (subject.name.empty()) {
    message = fmt::format("{} is forbidden: {}", qualified(subject), why);
  } else {
    message = fmt::format("{} {} is forbidden: {}", qualified(subject), quoted(subject.name), why);
  }
  return status_error(403, "Forbidden", std::move(message), details_of(subject));
}

Response unauthorized() { return status_error(401, "Unauthorized", "Unauthorized"); }

Response method_not_allowed(std::string_view) {
  return status_error(405, "MethodNotAllowed",
                      "the server does not allow this method on the requested resource");
}

Response method_not_supported(const StatusSubject& subject, std::string_view verb) {
  return status_error(
      405, "MethodNotAllowed",
      fmt::format("{} is not supported on resources of kind {}", verb, quoted(qualified(subject))),
      details_of({.group = subject.group, .plural = subject.plural}));
}

Response unsupported_media_type(std::string message) {
  return status_error(415, "UnsupportedMediaType", std::move(message));
}

Response not_acceptable(std::string message) {
  return status_error(406, "NotAcceptable", std::move(message));
}

Response expired(std::string message) { return status_error(410, "Expired", std::move(message)); }

Response too_many_requests(std::string message, std::int64_t retry_after_seconds,
                           const std::vector<StatusCause>& causes) {
  json::object details;
  if (!causes.empty()) details["causes"] = causes_of(causes);
  if (retry_after_seconds > 0) details["retryAfterSeconds"] = retry_after_seconds;
  auto response = status_error(429, "TooManyRequests", std::move(message), std::move(details));
  if (retry_after_seconds > 0) response.retry_after_seconds = retry_after_seconds;
  return response;
}

Response internal_error(std::string_view why) {
  return status_error(500, "InternalError", fmt::format("Internal error occurred: {}", why),
                      {{"causes", json::array{json::object{{"message", why}}}}});
}

Response success(const StatusSubject& subject, std::string_view uid) {
  auto details = details_of(subject);
  if (!uid.empty()) details["uid"] = uid;
  return {.status = 200,
          .object = std::make_shared<const json::object>(json::object{{"kind", "Status"},
                                                                      {"apiVersion", "v1"},
                                                                      {"metadata", json::object()},
                                                                      {"status", "Success"},
                                                                      {"details", std::move(details)}})};
}

}  // namespace capstan::apiserver
