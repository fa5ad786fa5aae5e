#include "apiserver/http/reviews.h"

#include "apiserver/document/document.h"
#include "apiserver/status_error.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kAuthentication = "authentication.k8s.io";
constexpr std::string_view kAuthorization = "authorization.k8s.io";

json::object user_object(const User& user) {
  json::object object{{"username", user.name}};
  if (!user.uid.empty()) object["uid"] = user.uid;
  if (!user.groups.empty()) object["groups"] = json::array(user.groups.begin(), user.groups.end());
  return object;
}

// The review as it was sent, with its status.
Response answered(const Request& request, std::string_view kind, json::object status) {
  json::object body{{"kind", kind}, {"apiVersion", request.group + "/" + request.version}};
  const auto* sent = request.body.value.if_object();
  const auto* metadata = sent == nullptr ? nullptr : object_at(*sent, {"metadata"});
  const auto* spec = sent == nullptr ? nullptr : object_at(*sent, {"spec"});
  body["metadata"] = metadata == nullptr ? json::object() : *metadata;
  if (spec != nullptr) body["spec"] = *spec;
  body["status"] = std::move(status);
  return {.status = 201,
          .object = std::make_shared<const json::object>(std::move(body)),
          .version = request.version};
}

const json::object& spec_of(const Request& request) {
  static const json::object kNothing;
  const auto* sent = request.body.value.if_object();
  const auto* spec = sent == nullptr ? nullptr : object_at(*sent, {"spec"});
  return spec == nullptr ? kNothing : *spec;
}

Response token_review(const Auth& auth, const Request& request) {
  const auto token = text_at(spec_of(request), {"token"});
  if (token.empty()) return bad_request("token is required for TokenReview in authentication");
  const auto user = auth.who_has(token);
  if (!user)
    return answered(request, "TokenReview", {{"user", json::object()}, {"error", "invalid bearer token"}});
  return answered(request, "TokenReview", {{"authenticated", true}, {"user", user_object(*user)}});
}

Response self_review(const Request& request) {
  return answered(request, "SelfSubjectReview", {{"userInfo", user_object(request.user)}});
}

Response refused(const std::vector<StatusCause>& causes) {
  // kube-apiserver says it without a kind: the reviews have no name to print.
  return invalid({.group = std::string(kAuthorization)}, causes);
}

std::vector<StatusCause> access_faults(const json::object& spec, bool names_user) {
  std::vector<StatusCause> causes;
  const bool resource = object_at(spec, {"resourceAttributes"}) != nullptr;
  const auto* path = object_at(spec, {"nonResourceAttributes"});
  if (resource && path != nullptr) {
    causes.push_back({"FieldValueInvalid",
                      "Invalid value: " +
                          json::serialize(json::object{{"Path", text_at(*path, {"path"})},
                                                       {"Verb", text_at(*path, {"verb"})}}) +
                          ": cannot be specified in combination with resourceAttributes",
                      "spec.nonResourceAttributes"});
  }
  if (!resource && path == nullptr) {
    causes.push_back(
        {"FieldValueInvalid",
         "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
         "spec.resourceAttributes"});
  }
  const auto* groups = array_at(spec, {"groups"});
  if (names_user && text_at(spec, {"user"}).empty() && (groups == nullptr || groups->empty())) {
    causes.push_back({"FieldValueInvalid",
                      "Invalid value: \"\": at least one of user or group must be specified", "spec.user"});
  }
  return causes;
}

std::optional<Verb> verb_named(std::string_view name) {
  for (const auto verb : {Verb::Get, Verb::List, Verb::Watch, Verb::Create, Verb::Update, Verb::Patch,
                          Verb::Delete, Verb::DeleteCollection}) {
    if (to_string(verb) == name) return verb;
  }
  return {};
}

bool allowed(const Auth& auth, const json::object& spec, User user) {
  const auto* attributes = object_at(spec, {"resourceAttributes"});
  if (attributes == nullptr) return true;
  Request asked{.group = std::string(text_at(*attributes, {"group"})),
                .version = std::string(text_at(*attributes, {"version"})),
                .resource = std::string(text_at(*attributes, {"resource"})),
                .subresource = std::string(text_at(*attributes, {"subresource"})),
                .namespace_ = std::string(text_at(*attributes, {"namespace"})),
                .name = std::string(text_at(*attributes, {"name"})),
                .user = std::move(user)};
  const auto verb = verb_named(text_at(*attributes, {"verb"}));
  if (!verb) return true;  // "*", impersonate, bind ...: no rule can name them
  asked.verb = *verb;
  return !auth.refusal(asked).has_value();
}

User user_of(const json::object& spec) {
  User user{.name = std::string(text_at(spec, {"user"})), .uid = std::string(text_at(spec, {"uid"}))};
  if (const auto* groups = array_at(spec, {"groups"})) {
    for (const auto& group : *groups) user.groups.emplace_back(text_of(group));
  }
  return user;
}

Response access_review(const Auth& auth, const Request& request, std::string_view kind) {
  const bool self = kind == "SelfSubjectAccessReview";
  const auto& spec = spec_of(request);
  if (kind == "LocalSubjectAccessReview" && object_at(spec, {"resourceAttributes"}) != nullptr &&
      text_at(spec, {"resourceAttributes", "namespace"}) != request.namespace_) {
    const std::string given(text_at(spec, {"resourceAttributes", "namespace"}));
    return refused({{"FieldValueInvalid", "Invalid value: \"" + given + "\": must match metadata.namespace",
                     "spec.resourceAttributes.namespace"}});
  }
  if (const auto faults = access_faults(spec, !self); !faults.empty()) return refused(faults);
  return answered(request, kind, {{"allowed", allowed(auth, spec, self ? request.user : user_of(spec))}});
}

Response rules_review(const Request& request) {
  if (text_at(spec_of(request), {"namespace"}).empty()) return bad_request("no namespace on request");
  const json::array all{"*"};
  auto answer = answered(
      request, "SelfSubjectRulesReview",
      {{"resourceRules", json::array{json::object{{"verbs", all}, {"apiGroups", all}, {"resources", all}}}},
       {"nonResourceRules", json::array{json::object{{"verbs", all}, {"nonResourceURLs", all}}}},
       {"incomplete", false}});
  return answer;
}

}  // namespace

std::optional<Response> review(const Auth& auth, const Request& request) {
  if (request.verb != Verb::Create || request.version != "v1" || !request.subresource.empty()) return {};
  if (request.group == kAuthentication) {
    if (request.resource == "tokenreviews") return token_review(auth, request);
    if (request.resource == "selfsubjectreviews") return self_review(request);
  }
  if (request.group == kAuthorization) {
    if (request.resource == "subjectaccessreviews")
      return access_review(auth, request, "SubjectAccessReview");
    if (request.resource == "selfsubjectaccessreviews")
      return access_review(auth, request, "SelfSubjectAccessReview");
    if (request.resource == "localsubjectaccessreviews")
      return access_review(auth, request, "LocalSubjectAccessReview");
    if (request.resource == "selfsubjectrulesreviews") return rules_review(request);
  }
  return {};
}

}  // namespace capstan::apiserver
