// Webhook configurations as values, and which requests a webhook wants to see. Used by webhooks.cc. Pure
// functions.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission/admission.h"
#include "apiserver/document/selectors.h"
#include "base/instant.h"

namespace capstan::apiserver {

// Where a webhook is: clientConfig of webhook configurations and CRDs.
struct WebhookClient {
  std::string url = {};
  // "namespace/name" of a clientConfig that names a Service: this server can't reach one.
  std::string service = {};
  std::string ca_pem = {};
};
WebhookClient webhook_client(const json::object* client_config);

struct WebhookRule {
  std::vector<std::string> operations = {};
  std::vector<std::string> groups = {};
  std::vector<std::string> versions = {};
  std::vector<std::string> resources = {};
  std::string scope = "*";
};

struct Webhook {
  std::string name = {};
  WebhookClient client = {};
  std::vector<WebhookRule> rules = {};
  bool ignores_failure = false;
  bool equivalent = true;        // matchPolicy: also other versions of the resource, converted
  bool supports_dry_run = true;  // by its declared side effects
  bool asked_again = false;  // reinvocationPolicy IfNeeded: once more when a later webhook changes the object
  Nanoseconds timeout = std::chrono::seconds(10);
  LabelSelector namespace_selector = {};
  LabelSelector object_selector = {};
};

// The webhooks of some configurations, in the order they are asked: by the configuration's name, then as
// written.
std::vector<Webhook> webhooks_of(const std::vector<ObjectPtr>& configurations);

// The version of the resource the webhook wants to be asked about; nothing when no rule matches. Selectors
// are not looked at.
std::optional<std::string> wanted_version(const Webhook& webhook, const AdmissionReviewRequest& request);

// By the labels of the object as it is or as it was.
bool object_selected(const Webhook& webhook, const AdmissionReviewRequest& request);

// Objects that configure admission itself are never sent, or a broken webhook could not be repaired.
bool is_exempt(const AdmissionReviewRequest& request);

}  // namespace capstan::apiserver
