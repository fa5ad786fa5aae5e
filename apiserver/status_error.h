// Status bodies: every refusal of the API server in the shape and wording kubectl and client-go know. Pure
// functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/request.h"

namespace capstan::apiserver {

struct StatusCause {
  std::string reason = {};  // FieldValueInvalid, FieldManagerConflict ...
  std::string message = {};
  std::string field = {};
  bool operator==(const StatusCause&) const = default;
};

// What a Status says in `details`: group and plural (or kind) of the thing.
struct StatusSubject {
  std::string group = {};
  std::string plural = {};  // details.kind; Invalid uses the kind itself
  std::string name = {};
};

Response status_error(int code, std::string_view reason, std::string message, json::object details = {});

Response not_found(const StatusSubject& subject);
Response path_not_found();  // "the server could not find the requested resource"
Response already_exists(const StatusSubject& subject);
Response conflict(const StatusSubject& subject, std::string_view why);
Response apply_conflict(std::string message, const std::vector<StatusCause>& causes);
// `subject.plural` holds the kind here: Machine.cluster.x-k8s.io "a" is invalid: ...
Response invalid(const StatusSubject& subject, const std::vector<StatusCause>& causes);
Response bad_request(std::string message);
Response forbidden(const StatusSubject& subject, std::string_view why);
Response unauthorized();
Response method_not_allowed(std::string_view verb = {});
// "create is not supported on resources of kind ..."
Response method_not_supported(const StatusSubject& subject, std::string_view verb);
Response unsupported_media_type(std::string message);
Response not_acceptable(std::string message);
Response expired(std::string message);  // 410
Response too_many_requests(std::string message, std::int64_t retry_after_seconds,
                           const std::vector<StatusCause>& causes = {});
Response internal_error(std::string_view why);

// {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}, as a DELETE answers.
Response success(const StatusSubject& subject, std::string_view uid);

}  // namespace capstan::apiserver
