// AdmissionReview of admission.k8s.io/v1: what an API server asks before it stores or deletes an object, and
// the answer. Used by the kinds' hooks (admission_kinds.h) and by the endpoint (admission.h). Pure functions
// and values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/schema/resource.h"
#include "base/error.h"
#include "base/result.h"

namespace capstan::webhooks {

// The API server sends at most two objects of 3 MB each, and little around them.
inline constexpr std::size_t kMaxReviewBytes = 7U << 20;

namespace verdict_code {
inline constexpr int kOk = 200;
inline constexpr int kBadRequest = 400;
inline constexpr int kForbidden = 403;
inline constexpr int kTooLarge = 413;
inline constexpr int kInvalid = 422;
}  // namespace verdict_code

namespace operation {
inline constexpr std::string_view kCreate = "CREATE";
inline constexpr std::string_view kUpdate = "UPDATE";
inline constexpr std::string_view kDelete = "DELETE";
inline constexpr std::string_view kConnect = "CONNECT";
}  // namespace operation

struct ReviewedKind {
  Text group = {};
  Text version = {};
  Text kind = {};
  bool operator==(const ReviewedKind&) const = default;
};

struct AdmissionRequest {
  FreeText uid = {};
  ReviewedKind kind = {};  // of the object; of a subresource's own body (Scale) where that is reviewed
  Text operation = {};
  api::RawJson object = {};      // empty on DELETE
  api::RawJson old_object = {};  // empty on CREATE
};

// The error names what is wrong with the review, or its limit.
Result<AdmissionRequest> read_review(std::string_view body);
// The uid of a review that is otherwise not understood: an API server takes no answer without it. "" where it
// can't be read.
std::string uid_in(std::string_view body);

// What becomes of the request. The code is that of the Status which the user of the API server sees.
struct Verdict {
  bool allowed = true;
  int code = verdict_code::kOk;
  std::string reason = {};
  std::string message = {};
  ReviewedKind kind = {};  // with name and causes: what is invalid
  std::string name = {};
  std::vector<Cause> causes = {};
  std::string patch = {};  // a JSON Patch; empty: the object stays as it was sent
  std::vector<std::string> warnings = {};
};

Verdict allowed();
// The review can't be judged. As controller-runtime does it: a code and a message, no reason.
Verdict errored(int code, std::string message);
// 403 Forbidden.
Verdict forbidden(std::string message);
// 422 Invalid, in the words of API servers.
Verdict invalid(const api::ResourceInfo& kind, std::string_view name, std::vector<Cause> causes);

// "spec.a: Required value", or several as "[spec.a: ..., spec.b: ...]".
std::string sentence(const std::vector<Cause>& causes);

// The whole AdmissionReview with this answer.
std::string review_text(std::string_view uid, const Verdict& verdict);

}  // namespace capstan::webhooks
