// What the tests of the admission hooks share: reviews as an API server sends them, and answers as it reads
// them. For gtest.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "base/base64.h"
#include "kube/json_patch.h"
#include "webhooks/admission_kinds.h"

namespace capstan::webhooks {

namespace json = boost::json;

inline const AdmissionHook& hook_at(std::string_view path) {
  static const std::vector<AdmissionHook> hooks = admission_hooks();
  const auto found = std::ranges::find(hooks, path, &AdmissionHook::path);
  if (found != hooks.end()) return *found;
  ADD_FAILURE() << "no hook at " << path;
  return hooks.front();
}

struct ReviewParts {
  std::string_view operation = operation::kCreate;
  json::value object = {};
  json::value old_object = {};
};

// As kube-apiserver 1.36 sends it, for the kind of `hook`.
inline json::object review_of(const AdmissionHook& hook, const ReviewParts& parts) {
  const auto& kind = *hook.kind;
  const json::object asked{{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
  const json::object resource{{"group", kind.group}, {"version", kind.version}, {"resource", kind.plural}};
  return {
      {"kind", "AdmissionReview"},
      {"apiVersion", "admission.k8s.io/v1"},
      {"request", json::object{{"uid", "705ab4f5-6393-11e8-b7cc-42010a800002"},
                               {"kind", asked},
                               {"resource", resource},
                               {"requestKind", asked},
                               {"requestResource", resource},
                               {"name", "x1"},
                               {"namespace", "default"},
                               {"operation", parts.operation},
                               {"userInfo", {{"username", "admin"}, {"groups", {"system:authenticated"}}}},
                               {"object", parts.object},
                               {"oldObject", parts.old_object},
                               {"dryRun", false},
                               {"options", {{"kind", "CreateOptions"}, {"apiVersion", "meta.k8s.io/v1"}}}}}};
}

// The answer, checked for what must hold for all of them.
struct Answered {
  bool allowed = false;
  std::int64_t code = 0;
  std::string reason = {};
  std::string message = {};
  std::vector<std::string> causes = {};  // "field: message"
  std::string patch = {};                // JSON; empty: none
  std::vector<std::string> warnings = {};
};

inline std::string text_or_empty(const json::object& object, std::string_view name) {
  const auto* found = object.if_contains(name);
  return found == nullptr ? std::string() : json::value_to<std::string>(*found);
}

inline Answered read_answer(std::string_view text, std::string_view uid) {
  const auto document = json::parse(text);
  EXPECT_EQ(document.at("kind"), "AdmissionReview");
  EXPECT_EQ(document.at("apiVersion"), "admission.k8s.io/v1");
  const auto& response = document.at("response").as_object();
  EXPECT_EQ(text_or_empty(response, "uid"), uid);
  const auto& status = response.at("status").as_object();
  Answered answered{.allowed = response.at("allowed").as_bool(),
                    .code = status.at("code").as_int64(),
                    .reason = text_or_empty(status, "reason"),
                    .message = text_or_empty(status, "message")};
  EXPECT_EQ(text_or_empty(status, "status"), answered.allowed ? "" : "Failure");
  if (const auto* details = status.if_contains("details")) {
    for (const auto& cause : details->at("causes").as_array()) {
      answered.causes.push_back(json::value_to<std::string>(cause.at("field")) + ": " +
                                json::value_to<std::string>(cause.at("message")));
    }
  }
  EXPECT_EQ(response.contains("patch"), response.contains("patchType"));
  if (response.contains("patch")) {
    EXPECT_EQ(response.at("patchType"), "JSONPatch");
    answered.patch = base64_decode(text_or_empty(response, "patch")).value();
  }
  if (const auto* warnings = response.if_contains("warnings"))
    answered.warnings = json::value_to<std::vector<std::string>>(*warnings);
  return answered;
}

inline Answered ask(std::string_view path, const ReviewParts& parts, const AdmissionContext& context = {}) {
  const auto& hook = hook_at(path);
  const auto review = review_of(hook, parts);
  const auto& uid = review.at("request").at("uid").as_string();
  return read_answer(answer_review(hook, json::serialize(review), context), uid);
}

inline std::string mutating(std::string_view kind) {
  return "/mutate-cluster-x-k8s-io-v1beta2-" + std::string(kind);
}
inline std::string validating(std::string_view kind) {
  return "/validate-cluster-x-k8s-io-v1beta2-" + std::string(kind);
}

// The object as the API server has it after the patch.
inline json::value patched(json::value object, const std::string& patch) {
  if (patch.empty()) return object;
  const auto applied = kube::apply_json_patch(object, json::parse(patch));
  EXPECT_TRUE(applied) << applied.error().describe() << " by " << patch;
  return object;
}

}  // namespace capstan::webhooks
