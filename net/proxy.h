// Which proxy, if any, reaches an origin: HTTPS_PROXY, HTTP_PROXY and NO_PROXY as Go's programs understand
// them. Pure: the environment comes in as values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace capstan::net {

struct ProxyRules {
  std::string http_proxy = {};
  std::string https_proxy = {};
  std::string no_proxy = {};
};

// Upper-case names win over lower-case ones.
ProxyRules proxy_rules(const std::function<std::optional<std::string>(const std::string& name)>& environment);

// The proxy's URL for Origin::proxy_url; empty: connect directly. localhost and loopback addresses are never
// proxied.
std::string proxy_for(const ProxyRules& rules, std::string_view scheme, std::string_view host,
                      std::string_view port);

}  // namespace capstan::net
