#include "apiserver/admission/webhook_reviews.h"

#include <fmt/format.h>

#include "apiserver/document/document.h"
#include "apiserver/status_error.h"
#include "base/base64.h"
#include "base/try.h"
#include "kube/json_patch.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kAdmissionVersion = "admission.k8s.io/v1";
constexpr std::string_view kConversionVersion = "apiextensions.k8s.io/v1";

json::object user_info(const User& user) {
  json::object info{{"username", user.name}};
  if (!user.uid.empty()) info["uid"] = user.uid;
  if (!user.groups.empty()) info["groups"] = json::array(user.groups.begin(), user.groups.end());
  return info;
}

json::value object_or_null(const ObjectPtr& object) {
  return object ? json::value(*object) : json::value(nullptr);
}

// What the body of a request is: the kind itself, or that of the subresource (Scale, Eviction).
json::object kind_of(const AdmissionReviewRequest& request, std::string_view version) {
  const auto& type = *request.type;
  for (const auto& extra : type.extra) {
    if (extra.name == request.subresource && extra.kind != type.kind) {
      return {{"group", extra.group}, {"version", extra.version}, {"kind", extra.kind}};
    }
  }
  if (request.subresource == "scale") return {{"group", "autoscaling"}, {"version", "v1"}, {"kind", "Scale"}};
  return {{"group", type.group}, {"version", version}, {"kind", type.kind}};
}

json::object resource_of(const AdmissionReviewRequest& request, std::string_view version) {
  return {{"group", request.type->group}, {"version", version}, {"resource", request.type->plural}};
}

std::string_view name_in(const AdmissionReviewRequest& request) {
  if (!request.name.empty()) return request.name;
  const auto& object = request.object ? request.object : request.old_object;
  return object ? name_of(*object) : std::string_view();
}

Result<void> check_review(const json::value& review, std::string_view kind, std::string_view api_version,
                          std::string_view uid) {
  const auto* object = review.if_object();
  if (object == nullptr || text_at(*object, {"kind"}) != kind ||
      text_at(*object, {"apiVersion"}) != api_version) {
    return fail(Code::Invalid,
                fmt::format("expected webhook response of {}, Kind={}, got {}, Kind={}", api_version, kind,
                            object == nullptr ? "" : text_at(*object, {"apiVersion"}),
                            object == nullptr ? "" : text_at(*object, {"kind"})));
  }
  if (object_at(*object, {"response"}) == nullptr) return fail(Code::Invalid, "webhook response was absent");
  if (const auto got = text_at(*object, {"response", "uid"}); got != uid) {
    return fail(Code::Invalid, fmt::format("expected response.uid=\"{}\", got \"{}\"", uid, got));
  }
  return {};
}

// Labels and annotations are the webhook's to change, the rest of the metadata is not.
json::object with_metadata_of(const json::object& original, json::object converted) {
  const auto* before = object_at(original, {"metadata"});
  if (before == nullptr) return converted;
  json::object metadata = *before;
  for (const auto* name : {"labels", "annotations"}) {
    metadata.erase(name);
    if (const auto* map = object_at(converted, {"metadata", name}); map != nullptr && !map->empty())
      metadata[name] = *map;
  }
  converted["metadata"] = std::move(metadata);
  return converted;
}

Result<void> check_converted(const json::object& original, const json::object& converted,
                             const std::string& api_version) {
  const auto mismatch = [](std::string_view what, std::string_view wanted, std::string_view got) {
    return fail(Code::Invalid,
                fmt::format("invalid converted object: {} is \"{}\", expected \"{}\"", what, got, wanted));
  };
  if (const auto got = text_at(converted, {"apiVersion"}); got != api_version)
    return mismatch("apiVersion", api_version, got);
  if (const auto got = text_at(converted, {"kind"}); got != text_at(original, {"kind"})) {
    return mismatch("kind", text_at(original, {"kind"}), got);
  }
  if (name_of(converted) != name_of(original))
    return mismatch("metadata.name", name_of(original), name_of(converted));
  if (namespace_of(converted) != namespace_of(original)) {
    return mismatch("metadata.namespace", namespace_of(original), namespace_of(converted));
  }
  if (uid_of(converted) != uid_of(original))
    return mismatch("metadata.uid", uid_of(original), uid_of(converted));
  return {};
}

}  // namespace

json::object admission_review(const AdmissionReviewRequest& request, std::string_view version,
                              std::string_view uid) {
  json::object asked{
      {"uid", uid}, {"kind", kind_of(request, version)}, {"resource", resource_of(request, version)}};
  if (!request.subresource.empty()) asked["subResource"] = request.subresource;
  asked["requestKind"] = kind_of(request, request.version);
  asked["requestResource"] = resource_of(request, request.version);
  if (!request.subresource.empty()) asked["requestSubResource"] = request.subresource;
  if (const auto name = name_in(request); !name.empty()) asked["name"] = name;
  // A Namespace counts as being in itself.
  const bool is_namespace = request.type->group.empty() && request.type->plural == "namespaces";
  const std::string_view ns = is_namespace ? name_in(request) : std::string_view(request.namespace_);
  if (!ns.empty()) asked["namespace"] = ns;
  asked["operation"] = request.operation;
  asked["userInfo"] = user_info(request.user);
  asked["object"] = object_or_null(request.object);
  asked["oldObject"] = object_or_null(request.old_object);
  asked["dryRun"] = request.dry_run;
  asked["options"] = object_or_null(request.options);
  return {{"kind", "AdmissionReview"}, {"apiVersion", kAdmissionVersion}, {"request", std::move(asked)}};
}

Result<json::object> admission_response(const json::value& review, std::string_view uid) {
  TRY(check_review(review, "AdmissionReview", kAdmissionVersion, uid));
  const auto& response = *object_at(review.get_object(), {"response"});
  const bool has_patch = !text_at(response, {"patch"}).empty();
  const auto type = text_at(response, {"patchType"});
  if (has_patch != !type.empty())
    return fail(Code::Invalid, "webhook returned response.patch but not response.patchType");
  if (has_patch && type != "JSONPatch") {
    return fail(Code::Invalid, fmt::format("webhook returned invalid response.patchType of \"{}\"", type));
  }
  return response;
}

Result<json::value> patched(const json::object& object, const json::object& response) {
  json::value document = object;
  const auto encoded = text_at(response, {"patch"});
  if (encoded.empty()) return document;
  const auto text = TRY(base64_decode(encoded));
  json::error_code error;
  const auto patch = json::parse(text, error);
  if (error) return fail(Code::Invalid, "the patch is not JSON: " + error.message());
  TRY(kube::apply_json_patch(document, patch));
  if (!document.is_object()) return fail(Code::Invalid, "the patch leaves no object");
  return document;
}

std::optional<Response> admission_refusal(std::string_view webhook, const json::object& response) {
  if (flag_at(response, {"allowed"})) return {};
  const auto* given = object_at(response, {"status"});
  json::object status = given == nullptr ? json::object() : *given;
  const auto denied = fmt::format("admission webhook \"{}\" denied the request", webhook);
  auto why = text_at(status, {"message"});
  if (why.empty()) why = text_at(status, {"reason"});
  const auto message = why.empty() ? denied + " without explanation" : fmt::format("{}: {}", denied, why);
  auto code = static_cast<int>(integer_at(status, {"code"}).value_or(400));
  if (code < 400) code = 400;
  const auto* details = object_at(status, {"details"});
  return status_error(code, text_at(status, {"reason"}), message,
                      details == nullptr ? json::object() : *details);
}

json::object conversion_review(const std::string& api_version, const std::vector<ObjectPtr>& objects,
                               std::string_view uid) {
  json::array all;
  all.reserve(objects.size());
  for (const auto& object : objects) all.push_back(*object);
  return {{"kind", "ConversionReview"},
          {"apiVersion", kConversionVersion},
          {"request",
           json::object{{"uid", uid}, {"desiredAPIVersion", api_version}, {"objects", std::move(all)}}}};
}

Result<std::vector<ObjectPtr>> converted_objects(const json::value& review, std::string_view uid,
                                                 const std::string& api_version,
                                                 const std::vector<ObjectPtr>& originals) {
  TRY(check_review(review, "ConversionReview", kConversionVersion, uid));
  const auto& response = *object_at(review.get_object(), {"response"});
  if (text_at(response, {"result", "status"}) != "Success") {
    const auto message = text_at(response, {"result", "message"});
    return fail(Code::Invalid, message.empty() ? "no explanation provided" : std::string(message));
  }
  const auto* converted = array_at(response, {"convertedObjects"});
  const auto count = converted == nullptr ? 0 : converted->size();
  if (count != originals.size()) {
    return fail(Code::Invalid,
                fmt::format("webhook returned {} objects, expected {}", count, originals.size()));
  }
  std::vector<ObjectPtr> all;
  for (std::size_t i = 0; i < count; ++i) {
    if (!(*converted)[i].is_object())
      return fail(Code::Invalid, fmt::format("converted object {} is no object", i));
    const auto& one = (*converted)[i].get_object();
    TRY(check_converted(*originals[i], one, api_version));
    all.push_back(std::make_shared<const json::object>(with_metadata_of(*originals[i], one)));
  }
  return all;
}

}  // namespace capstan::apiserver
