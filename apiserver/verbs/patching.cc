#include <fmt/format.h>

#include "apiserver/document/document.h"
#include "apiserver/document/field_error.h"
#include "apiserver/verbs/strategic.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/writing.h"
#include "kube/json_patch.h"
#include "kube/merge_patch.h"

namespace capstan::apiserver {
namespace {

constexpr int kAttempts = 8;

Response rejected_patch() {
  auto response =
      status_error(422, "Invalid", "the server rejected our request due to an error in our request");
  auto status = *response.object;
  status["details"] = json::object();
  response.object = std::make_shared<const json::object>(std::move(status));
  return response;
}

Response undecodable(std::string_view found, std::string_view wanted) {
  return bad_request(
      fmt::format("error decoding patch: json: cannot unmarshal {} into Go value of type {}", found, wanted));
}

Answer<json::object> json_patched(const json::value& patch, const json::object& live) {
  if (!patch.is_array()) return Refusal(undecodable("object", "[]handlers.jsonPatchOp"));
  json::value document = live;
  if (!kube::apply_json_patch(document, patch)) return Refusal(rejected_patch());
  if (!document.is_object()) return Refusal(rejected_patch());
  return std::move(document.get_object());
}

Answer<json::object> merge_patched(const json::value& patch, const json::object& live) {
  if (!patch.is_object())
    return Refusal(undecodable(patch.is_array() ? "array" : "string", "map[string]interface {}"));
  json::value document = live;
  kube::apply_merge_patch(document, patch);
  return std::move(document.get_object());
}

Answer<json::object> strategic_patched(const Core& core, const Target& target, const json::value& patch,
                                       const json::object& live) {
  if (!patch.is_object()) return Refusal(undecodable("array", "map[string]interface {}"));
  if (core.has(Defect::ListMapReplaced)) return merge_patched(patch, live);
  auto merged = strategic_merge(live, patch.get_object(), *target.version->schema);
  if (!merged) return Refusal(bad_request(merged.error()));
  return std::move(*merged);
}

// The envelope may be patched no more than the name may.
std::optional<Response> refuse_envelope(const Target& target, const json::object& document) {
  const auto kind = text_at(document, {"kind"});
  const auto version = text_at(document, {"apiVersion"});
  const StatusSubject subject{
      .group = target.type->group, .plural = std::string(kind), .name = target.key.name};
  if (kind != target.type->kind) {
    return invalid(subject, {invalid_value("kind", json::value(kind), "must be " + target.type->kind)});
  }
  if (version != target.api_version()) {
    return invalid(subject,
                   {invalid_value("apiVersion", json::value(version), "must be " + target.api_version())});
  }
  return {};
}

Answer<json::object> patched(const Core& core, const Target& target, const Request& request,
                             const json::object& live, Warnings& warnings) {
  if (request.patch_type == kube::PatchType::Apply) return applied(core, target, request, &live, warnings);
  Answer<json::object> document = json::object();
  switch (request.patch_type) {
    case kube::PatchType::Json: document = json_patched(request.body.value, live); break;
    case kube::PatchType::Merge: document = merge_patched(request.body.value, live); break;
    case kube::PatchType::Strategic:
      document = strategic_patched(core, target, request.body.value, live);
      break;
    case kube::PatchType::Apply: break;
  }
  if (!document) return document;
  if (auto refusal = refuse_envelope(target, *document)) return Refusal(std::move(*refusal));
  auto object = shaped(core, target, std::move(*document), request, warnings);
  if (object) own_update(core, target, request, *object, &live);
  return object;
}

// An apply to what is not there yet creates it.
Response apply_new(Core& core, const Target& target, const Request& request) {
  Warnings warnings;
  auto object = applied(core, target, request, nullptr, warnings);
  if (!object) return std::move(object).error();
  if (name_of(*object).empty()) {
    return bad_request(
        fmt::format("the name of the object ({} based on URL) was undeterminable: name must be provided",
                    target.key.name));
  }
  return insert(core, target, request, std::move(*object), std::move(warnings));
}

}  // namespace

Response patch_object(Core& core, const Target& target, const Request& request) {
  if (!target.type->allows("patch")) return method_not_allowed("patch");
  if (auto refusal = refuse_manager(request)) return *refusal;
  if (target.type->custom && request.patch_type == kube::PatchType::Strategic) {
    return unsupported_media_type(
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, "
        "application/merge-patch+json, application/apply-patch+yaml");
  }
  const bool apply = request.patch_type == kube::PatchType::Apply && target.subresource.empty();
  for (int i = 0; i < kAttempts; ++i) {
    if (apply && !core.storage.find(target.collection, target.key)) {
      auto created = apply_new(core, target, request);
      if (text_at(*created.object, {"reason"}) == "AlreadyExists") continue;
      return created;
    }
    auto response = update(core, target, request, [&](const ObjectPtr& live, Warnings& warnings) {
      return patched(core, target, request, *live, warnings);
    });
    if (apply && response.status == 404) continue;
    return response;
  }
  return conflict(target.subject(), "the object keeps coming and going");
}

}  // namespace capstan::apiserver
