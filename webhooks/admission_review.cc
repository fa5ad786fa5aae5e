#include "webhooks/admission_review.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/schema/decode.h"
#include "base/base64.h"
#include "base/try.h"

namespace capstan::webhooks {

struct ReviewEnvelope {
  AdmissionRequest request = {};
};
struct UidOfRequest {
  FreeText uid = {};
};
struct UidOnly {
  UidOfRequest request = {};
};

}  // namespace capstan::webhooks

namespace capstan::api {

template <>
inline constexpr auto members<webhooks::ReviewedKind> = std::array{
    member<&webhooks::ReviewedKind::group>("group"),
    member<&webhooks::ReviewedKind::version>("version"),
    member<&webhooks::ReviewedKind::kind>("kind"),
};
template <>
inline constexpr auto members<webhooks::AdmissionRequest> = std::array{
    member<&webhooks::AdmissionRequest::uid>("uid"),
    member<&webhooks::AdmissionRequest::kind>("kind"),
    member<&webhooks::AdmissionRequest::operation>("operation"),
    member<&webhooks::AdmissionRequest::object>("object"),
    member<&webhooks::AdmissionRequest::old_object>("oldObject"),
};
template <>
inline constexpr ResourceInfo resource<webhooks::ReviewEnvelope> = {
    .group = "admission.k8s.io", .version = "v1", .kind = "AdmissionReview"};
template <>
inline constexpr auto members<webhooks::ReviewEnvelope> = std::array{
    member<&webhooks::ReviewEnvelope::request>("request"),
};
template <>
inline constexpr auto members<webhooks::UidOfRequest> = std::array{
    member<&webhooks::UidOfRequest::uid>("uid"),
};
template <>
inline constexpr auto members<webhooks::UidOnly> = std::array{
    member<&webhooks::UidOnly::request>("request"),
};

}  // namespace capstan::api

namespace capstan::webhooks {
namespace {

namespace json = boost::json;

json::object details_of(const Verdict& verdict) {
  json::array causes;
  for (const Cause& cause : verdict.causes) {
    causes.push_back(
        json::object{{"reason", cause.reason}, {"message", cause.message}, {"field", cause.field}});
  }
  return {{"name", verdict.name},
          {"group", verdict.kind.group.view()},
          {"kind", verdict.kind.kind.view()},
          {"causes", std::move(causes)}};
}

json::object status_of(const Verdict& verdict) {
  json::object status{{"code", verdict.code}};
  if (!verdict.allowed) status["status"] = "Failure";
  if (!verdict.reason.empty()) status["reason"] = verdict.reason;
  if (!verdict.message.empty()) status["message"] = verdict.message;
  if (!verdict.causes.empty()) status["details"] = details_of(verdict);
  return status;
}

}  // namespace

Result<AdmissionRequest> read_review(std::string_view body) {
  if (body.empty()) return fail(Code::Invalid, "request body is empty");
  auto review = TRY(api::decode<ReviewEnvelope>(body));
  if (review.request.uid.empty()) return fail(Code::Invalid, "request.uid is missing");
  if (review.request.operation.empty()) return fail(Code::Invalid, "request.operation is missing");
  return std::move(review.request);
}

std::string uid_in(std::string_view body) {
  const auto review = api::decode<UidOnly>(body);
  return review ? review->request.uid.str() : std::string();
}

Verdict allowed() { return {}; }

Verdict errored(int code, std::string message) {
  return {.allowed = false, .code = code, .message = std::move(message)};
}

Verdict forbidden(std::string message) {
  return {.allowed = false,
          .code = verdict_code::kForbidden,
          .reason = "Forbidden",
          .message = std::move(message)};
}

Verdict invalid(const api::ResourceInfo& kind, std::string_view name, std::vector<Cause> causes) {
  return {
      .allowed = false,
      .code = verdict_code::kInvalid,
      .reason = "Invalid",
      .message = fmt::format("{}.{} \"{}\" is invalid: {}", kind.kind, kind.group, name, sentence(causes)),
      .kind = {.group = Text(kind.group), .version = Text(kind.version), .kind = Text(kind.kind)},
      .name = std::string(name),
      .causes = std::move(causes)};
}

// Kubernetes names a fault once, however often it was found.
std::string sentence(const std::vector<Cause>& causes) {
  std::vector<std::string> lines;
  for (const Cause& cause : causes) {
    std::string line = cause.field + ": " + cause.message;
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines.size() == 1 ? lines.front() : fmt::format("[{}]", fmt::join(lines, ", "));
}

std::string review_text(std::string_view uid, const Verdict& verdict) {
  json::object response{{"uid", uid}, {"allowed", verdict.allowed}, {"status", status_of(verdict)}};
  if (!verdict.patch.empty()) {
    response["patchType"] = "JSONPatch";
    response["patch"] = base64_encode(verdict.patch);
  }
  if (!verdict.warnings.empty())
    response["warnings"] = json::array(verdict.warnings.begin(), verdict.warnings.end());
  return json::serialize(json::object{
      {"kind", "AdmissionReview"}, {"apiVersion", "admission.k8s.io/v1"}, {"response", std::move(response)}});
}

}  // namespace capstan::webhooks
