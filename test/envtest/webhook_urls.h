// A package's webhook configurations and CRDs call a Service. A test runs the manager as a process and has no
// Services, so it asks for URLs in their place. Pure.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

namespace capstan::envtest {

struct WebhookListener {
  std::string_view base_url = {};  // "https://127.0.0.1:9443"
  std::string_view ca_pem = {};
};

// In every `clientConfig` of the document its `service` becomes the `url` of that path at the listener, and
// its `caBundle` the listener's CA. A clientConfig that names a URL already stays as it is.
void call_urls(boost::json::value& document, const WebhookListener& listener);

}  // namespace capstan::envtest
