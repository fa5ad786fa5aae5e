#include <algorithm>

#include "apiserver/builtin/strategies.h"
#include "apiserver/document/document.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

void fill_binding(json::object& object) {
  auto* role = object_at(object, {"roleRef"});
  if (role != nullptr && text_at(*role, {"apiGroup"}).empty()) (*role)["apiGroup"] = kRbacGroup;
  auto* subjects = object.if_contains("subjects");
  if (subjects == nullptr || !subjects->is_array()) return;
  for (auto& one : subjects->get_array()) {
    if (!one.is_object()) continue;
    auto& subject = one.get_object();
    const auto kind = text_at(subject, {"kind"});
    if ((kind == "User" || kind == "Group") && text_at(subject, {"apiGroup"}).empty())
      subject["apiGroup"] = kRbacGroup;
  }
}

void check_binding(const json::object& object, const json::object* before, FieldErrors& errors) {
  if (text_at(object, {"roleRef", "name"}).empty()) errors.push_back(required("roleRef.name"));
  if (before != nullptr && object.at("roleRef") != before->at("roleRef")) {
    errors.push_back(invalid_value("roleRef", object.at("roleRef"), "cannot change roleRef"));
  }
}

void check_client(const json::object& webhook, const std::string& path, FieldErrors& errors) {
  const auto url = text_at(webhook, {"clientConfig", "url"});
  const bool service = object_at(webhook, {"clientConfig", "service"}) != nullptr;
  if (url.empty() != service) {
    errors.push_back(required(path + ".clientConfig", "exactly one of url or service is required"));
  }
  if (!url.empty() && !url.starts_with("https://")) {
    errors.push_back(
        invalid_value(path + ".clientConfig.url", json::value(url),
                      "'https' is the only allowed URL scheme; desired format: https://host[/path]"));
  }
}

void check_webhooks(const json::object& object, const json::object*, FieldErrors& errors) {
  const auto* webhooks = array_at(object, {"webhooks"});
  if (webhooks == nullptr) return;
  for (std::size_t i = 0; i < webhooks->size(); ++i) {
    const auto* webhook = (*webhooks)[i].if_object();
    if (webhook == nullptr) continue;
    const auto path = item("webhooks", i);
    const auto name = text_at(*webhook, {"name"});
    if (std::ranges::count(name, '.') < 2) {
      errors.push_back(invalid_value(path + ".name", json::value(name),
                                     "should be a domain with at least three segments separated by dots"));
    }
    const auto side_effects = text_at(*webhook, {"sideEffects"});
    if (side_effects.empty()) {
      errors.push_back(required(path + ".sideEffects", "must specify one of None, NoneOnDryRun"));
    } else if (side_effects != "None" && side_effects != "NoneOnDryRun") {
      errors.push_back(
          unsupported_value(path + ".sideEffects", json::value(side_effects), {"None", "NoneOnDryRun"}));
    }
    const auto* versions = array_at(*webhook, {"admissionReviewVersions"});
    if (versions == nullptr || versions->empty()) {
      errors.push_back(required(path + ".admissionReviewVersions", "must specify one of v1, v1beta1"));
    }
    if (const auto* conditions = array_at(*webhook, {"matchConditions"});
        conditions && !conditions->empty()) {
      errors.push_back(forbidden_field(path + ".matchConditions",
                                       "this server evaluates no CEL; a real kube-apiserver does"));
    }
    check_client(*webhook, path, errors);
  }
}

void fill_webhooks(json::object& object) {
  auto* webhooks = object.if_contains("webhooks");
  if (webhooks == nullptr || !webhooks->is_array()) return;
  for (auto& webhook : webhooks->get_array()) {
    auto* rules = webhook.is_object() ? webhook.get_object().if_contains("rules") : nullptr;
    if (rules == nullptr || !rules->is_array()) continue;
    for (auto& rule : rules->get_array()) {
      if (rule.is_object() && text_at(rule.get_object(), {"scope"}).empty()) rule.get_object()["scope"] = "*";
    }
  }
}

}  // namespace

const Strategy kRole{.names = NameRule::PathSegment, .create_on_update = true};
const Strategy kRoleBinding{.names = NameRule::PathSegment,
                            .create_on_update = true,
                            .fill_defaults = fill_binding,
                            .validate = check_binding};
const Strategy kWebhooks{.unconditional_update = false,
                         .has_generation = true,
                         .fill_defaults = fill_webhooks,
                         .validate = check_webhooks};

}  // namespace capstan::apiserver
