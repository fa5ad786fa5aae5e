#include "apiserver/admission/webhook_rules.h"

#include <algorithm>
#include <array>

#include "apiserver/document/document.h"
#include "base/base64.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kRegistration = "admissionregistration.k8s.io";
constexpr std::array kConfigurations = {"mutatingwebhookconfigurations", "validatingwebhookconfigurations",
                                        "validatingadmissionpolicies",   "validatingadmissionpolicybindings",
                                        "mutatingadmissionpolicies",     "mutatingadmissionpolicybindings"};

std::vector<std::string> texts_at(const json::object& from, std::string_view name) {
  std::vector<std::string> all;
  if (const auto* array = array_at(from, {name})) {
    for (const auto& one : *array) all.emplace_back(text_of(one));
  }
  return all;
}

// Absent selectors select everything here; LabelSelector::from_object knows only the rule of most other
// fields.
LabelSelector selector_at(const json::object& hook, std::string_view name) {
  const auto* given = object_at(hook, {name});
  const json::value everything = json::object();
  if (given == nullptr) return LabelSelector::from_object(&everything);
  const json::value value = *given;
  return LabelSelector::from_object(&value);
}

WebhookRule rule_of(const json::object& from) {
  WebhookRule rule{.operations = texts_at(from, "operations"),
                   .groups = texts_at(from, "apiGroups"),
                   .versions = texts_at(from, "apiVersions"),
                   .resources = texts_at(from, "resources")};
  if (const auto scope = text_at(from, {"scope"}); !scope.empty()) rule.scope = scope;
  return rule;
}

Webhook webhook_of(const json::object& from) {
  Webhook hook{.name = std::string(text_at(from, {"name"})),
               .client = webhook_client(object_at(from, {"clientConfig"})),
               .ignores_failure = text_at(from, {"failurePolicy"}) == "Ignore",
               .equivalent = text_at(from, {"matchPolicy"}) != "Exact",
               .asked_again = text_at(from, {"reinvocationPolicy"}) == "IfNeeded",
               .timeout = Seconds(integer_at(from, {"timeoutSeconds"}).value_or(10)),
               .namespace_selector = selector_at(from, "namespaceSelector"),
               .object_selector = selector_at(from, "objectSelector")};
  const auto effects = text_at(from, {"sideEffects"});
  hook.supports_dry_run = effects == "None" || effects == "NoneOnDryRun";
  if (const auto* rules = array_at(from, {"rules"})) {
    for (const auto& rule : *rules) {
      if (rule.is_object()) hook.rules.push_back(rule_of(rule.get_object()));
    }
  }
  return hook;
}

bool lists(const std::vector<std::string>& names, std::string_view wanted) {
  return std::ranges::any_of(names, [&](const std::string& one) { return one == "*" || one == wanted; });
}

// "*" is every resource but no subresource, "*/*" is both, "pods/*" every subresource of pods.
bool lists_resource(const std::vector<std::string>& names, const std::string& resource,
                    const std::string& subresource) {
  return std::ranges::any_of(names, [&](const std::string& one) {
    const auto slash = one.find('/');
    const auto left = std::string_view(one).substr(0, slash);
    const auto right =
        slash == std::string::npos ? std::string_view() : std::string_view(one).substr(slash + 1);
    return (left == "*" || left == resource) && (right == subresource || right == "*");
  });
}

bool in_scope(const WebhookRule& rule, const AdmissionReviewRequest& request) {
  if (rule.scope == "*") return true;
  // A Namespace is cluster-scoped although requests name it as a namespace.
  return (rule.scope == "Namespaced") == request.type->namespaced;
}

bool matches_but_for_version(const WebhookRule& rule, const AdmissionReviewRequest& request) {
  return lists(rule.operations, request.operation) && lists(rule.groups, request.type->group) &&
         lists_resource(rule.resources, request.type->plural, request.subresource) && in_scope(rule, request);
}

}  // namespace

WebhookClient webhook_client(const json::object* from) {
  WebhookClient client;
  if (from == nullptr) return client;
  client.url = text_at(*from, {"url"});
  if (const auto* service = object_at(*from, {"service"})) {
    client.service =
        std::string(text_at(*service, {"namespace"})) + "/" + std::string(text_at(*service, {"name"}));
  }
  if (auto pem = base64_decode(text_at(*from, {"caBundle"}))) client.ca_pem = std::move(*pem);
  return client;
}

std::vector<Webhook> webhooks_of(const std::vector<ObjectPtr>& configurations) {
  auto sorted = configurations;
  std::ranges::sort(sorted, {}, [](const ObjectPtr& one) { return name_of(*one); });
  std::vector<Webhook> all;
  for (const auto& configuration : sorted) {
    const auto* hooks = array_at(*configuration, {"webhooks"});
    if (hooks == nullptr) continue;
    for (const auto& hook : *hooks) {
      if (hook.is_object()) all.push_back(webhook_of(hook.get_object()));
    }
  }
  return all;
}

std::optional<std::string> wanted_version(const Webhook& webhook, const AdmissionReviewRequest& request) {
  for (const auto& rule : webhook.rules) {
    if (matches_but_for_version(rule, request) && lists(rule.versions, request.version))
      return request.version;
  }
  if (!webhook.equivalent) return {};
  for (const auto& rule : webhook.rules) {
    if (!matches_but_for_version(rule, request)) continue;
    for (const auto& version : request.type->versions) {
      if (version.served && lists(rule.versions, version.name)) return version.name;
    }
  }
  return {};
}

bool object_selected(const Webhook& webhook, const AdmissionReviewRequest& request) {
  if (webhook.object_selector.everything()) return true;
  const auto selects = [&](const ObjectPtr& object) {
    return object && webhook.object_selector.matches(*object);
  };
  return selects(request.object) || selects(request.old_object);
}

bool is_exempt(const AdmissionReviewRequest& request) {
  return request.type->group == kRegistration &&
         std::ranges::find(kConfigurations, request.type->plural) != kConfigurations.end();
}

}  // namespace capstan::apiserver
