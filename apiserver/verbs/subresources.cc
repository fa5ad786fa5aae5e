#include "apiserver/verbs/subresources.h"

#include <algorithm>

#include "apiserver/document/document.h"
#include "apiserver/document/field_error.h"
#include "apiserver/verbs/writing.h"

namespace capstan::apiserver {
namespace {

// The namespace controller's way to take its finalizer off.
Response finalize_namespace(Core& core, const Target& target, const Request& request) {
  const auto* body = request.body.value.if_object();
  if (body == nullptr) return bad_request("the body is not a Namespace");
  auto main = target;
  main.subresource.clear();
  return update(core, main, request, [&](const ObjectPtr& live, Warnings&) -> Answer<json::object> {
    auto object = *live;
    auto& spec = object_in(object, "spec");
    spec.erase("finalizers");
    if (const auto* finalizers = array_at(*body, {"spec", "finalizers"})) spec["finalizers"] = *finalizers;
    return object;
  });
}

Response bind_pod(Core& core, const Target& target, const Request& request) {
  const auto* body = request.body.value.if_object();
  const auto node = body == nullptr ? std::string() : std::string(text_at(*body, {"target", "name"}));
  if (node.empty()) return bad_request("target.name is required");
  auto main = target;
  main.subresource.clear();
  auto response = update(core, main, request, [&](const ObjectPtr& live, Warnings&) -> Answer<json::object> {
    if (!text_at(*live, {"spec", "nodeName"}).empty()) {
      return Refusal(conflict(target.subject(), "pod " + target.key.name + " is already assigned to node " +
                                                    quoted(text_at(*live, {"spec", "nodeName"}))));
    }
    auto object = *live;
    object_in(object, "spec")["nodeName"] = node;
    return object;
  });
  if (!response.ok()) return response;
  return {.status = 201,
          .object = std::make_shared<const json::object>(json::object{{"kind", "Status"},
                                                                      {"apiVersion", "v1"},
                                                                      {"metadata", json::object()},
                                                                      {"status", "Success"},
                                                                      {"code", 201}})};
}

// A token whose text says nothing; the HTTP layer decides who may use it.
Response request_token(Core& core, const Target& target, const Request& request) {
  const auto account = core.storage.find(target.collection, target.key);
  if (!account) return not_found(target.subject());
  auto answered = request.body.value.is_object() ? request.body.value.get_object() : json::object();
  answered["kind"] = "TokenRequest";
  answered["apiVersion"] = "authentication.k8s.io/v1";
  const auto seconds = integer_at(answered, {"spec", "expirationSeconds"}).value_or(3600);
  answered["status"] = json::object{
      {"token", "capstan-" + core.identities.uid()},
      {"expirationTimestamp", timestamp(core.options.clock.now() + std::chrono::seconds(seconds))}};
  return {.status = 201, .object = std::make_shared<const json::object>(std::move(answered))};
}

}  // namespace

Response extra_subresource(Core& core, const Target& target, const Request& request) {
  const auto& extra = target.type->extra;
  const auto found = std::ranges::find(extra, target.subresource, &ExtraSubresource::name);
  if (found == extra.end()) return target.type->custom ? not_found(target.subject()) : path_not_found();
  if (std::ranges::find(found->verbs, to_string(request.verb)) == found->verbs.end()) {
    return method_not_supported(target.subject(), to_string(request.verb));
  }
  if (found->name == "eviction") return evict_pod(core, target, request);
  if (found->name == "binding") return bind_pod(core, target, request);
  if (found->name == "token") return request_token(core, target, request);
  return finalize_namespace(core, target, request);
}

}  // namespace capstan::apiserver
