#include "test/envtest/webhook_urls.h"

#include <boost/json.hpp>

#include "base/base64.h"

namespace capstan::envtest {
namespace {

namespace json = boost::json;

void call_url(json::object& client_config, const WebhookListener& listener) {
  const auto* service = client_config.if_contains("service");
  if (service == nullptr || !service->is_object()) return;
  const auto* path = service->as_object().if_contains("path");
  std::string url(listener.base_url);
  if (path != nullptr && path->is_string()) url += path->as_string();
  client_config.erase("service");
  client_config["url"] = url;
  client_config["caBundle"] = base64_encode(listener.ca_pem);
}

}  // namespace

void call_urls(json::value& document, const WebhookListener& listener) {
  if (document.is_array()) {
    for (json::value& element : document.as_array()) call_urls(element, listener);
  }
  if (!document.is_object()) return;
  for (auto& member : document.as_object()) {
    if (member.key() == "clientConfig" && member.value().is_object())
      call_url(member.value().as_object(), listener);
    else
      call_urls(member.value(), listener);
  }
}

}  // namespace capstan::envtest
