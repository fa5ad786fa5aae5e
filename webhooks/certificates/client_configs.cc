#include "webhooks/certificates/client_configs.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "base/base64.h"
#include "kube/json_patch.h"
#include "kube/resources.h"
#include "net/ip_address.h"
#include "net/url.h"
#include "webhooks/certificates/names.h"

namespace capstan::webhooks::certificates {
namespace {

namespace json = boost::json;

constexpr std::string_view kConversion = "/spec/conversion/webhook/clientConfig";

kube::Resource configuration(std::string_view kind, std::string_view plural) {
  return {.group = "admissionregistration.k8s.io",
          .version = "v1",
          .plural = std::string(plural),
          .kind = std::string(kind),
          .namespaced = false};
}

// Empty when there is no text at that place.
std::string text_at(const json::value& document, std::string_view pointer) {
  json::error_code none;
  const auto* found = document.find_pointer(pointer, none);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

bool leads_to_us(const json::value& config, const Reached& reached) {
  const std::string url = text_at(config, "/url");
  if (url.empty())
    return text_at(config, "/service/name") == kService &&
           text_at(config, "/service/namespace") == reached.namespace_;
  const auto parsed = net::parse_url(url);
  return parsed && std::ranges::find(reached.hosts, parsed->host) != reached.hosts.end();
}

void add_bundle(Target& target, const json::value& document, const std::string& pointer,
                const Reached& reached) {
  json::error_code none;
  const auto* config = document.find_pointer(pointer, none);
  if (config == nullptr || !leads_to_us(*config, reached)) return;
  target.bundles.push_back(
      {.pointer = pointer, .pem = base64_decode(text_at(*config, "/caBundle")).value_or("")});
}

std::string injected_pointer() {
  return "/metadata/annotations/" + kube::json_pointer_step(annotation::kInjectedFrom);
}

}  // namespace

ServedNames served_names(const Reached& reached) {
  ServedNames names;
  for (const char* ending : {"svc", "svc.cluster.local"})
    names.dns.push_back(fmt::format("{}.{}.{}", kService, reached.namespace_, ending));
  for (const std::string& host : reached.hosts)
    (net::parse_ip_address(host) ? names.addresses : names.dns).push_back(host);
  return names;
}

std::vector<TargetName> target_names() {
  std::vector<TargetName> names;
  for (const std::string_view definition : kDefinitions)
    names.push_back({kube::resources::custom_resource_definitions(), {.name = std::string(definition)}});
  names.push_back({configuration("MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
                   {.name = std::string(kMutating)}});
  names.push_back({configuration("ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
                   {.name = std::string(kValidating)}});
  return names;
}

Target read_target(const TargetName& name, const json::value& document, const Reached& reached) {
  Target target{.resource = name.resource,
                .key = name.key,
                .resource_version = text_at(document, "/metadata/resourceVersion")};
  if (text_at(document, "/spec/conversion/strategy") == "Webhook")
    add_bundle(target, document, std::string(kConversion), reached);
  json::error_code none;
  const auto* webhooks = document.find_pointer("/webhooks", none);
  const std::size_t count = webhooks != nullptr && webhooks->is_array() ? webhooks->as_array().size() : 0;
  for (std::size_t at = 0; at < count; ++at)
    add_bundle(target, document, fmt::format("/webhooks/{}/clientConfig", at), reached);
  target.injected = !target.bundles.empty() && !text_at(document, injected_pointer()).empty();
  return target;
}

json::value bundle_patch(const Target& target, const std::string& pem) {
  json::array operations;
  operations.push_back(
      {{"op", "replace"}, {"path", "/metadata/resourceVersion"}, {"value", target.resource_version}});
  for (const Bundle& bundle : target.bundles)
    operations.push_back(
        {{"op", "add"}, {"path", bundle.pointer + "/caBundle"}, {"value", base64_encode(pem)}});
  if (target.injected) operations.push_back({{"op", "remove"}, {"path", injected_pointer()}});
  return operations;
}

}  // namespace capstan::webhooks::certificates
