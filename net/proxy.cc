#include "net/proxy.h"

#include <algorithm>

#include "net/ip_address.h"

namespace capstan::net {
namespace {

std::string cleaned(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

struct Entry {
  std::string host = {};
  std::string port = {};
};

// "example.com:8080", "[::1]:80", "::1", "10.0.0.1".
Entry split_port(const std::string& entry) {
  if (entry.starts_with('[')) {
    const std::size_t end = entry.find(']');
    if (end == entry.npos) return {.host = entry};
    return {.host = entry.substr(1, end - 1),
            .port = entry.substr(end + 1).starts_with(':') ? entry.substr(end + 2) : ""};
  }
  const std::size_t colon = entry.find(':');
  if (colon == entry.npos || entry.find(':', colon + 1) != entry.npos) return {.host = entry};
  return {.host = entry.substr(0, colon), .port = entry.substr(colon + 1)};
}

bool domain_matches(const std::string& host, std::string pattern) {
  if (pattern.starts_with("*.")) pattern.erase(0, 1);
  if (pattern.starts_with('.')) return host.ends_with(pattern);
  return host == pattern || host.ends_with("." + pattern);
}

bool entry_matches(const std::string& text, const std::string& host, const std::optional<IpAddress>& ip,
                   std::string_view port) {
  if (text == "*") return true;
  if (text.contains('/')) {
    const auto network = parse_ip_network(text);
    return ip && network && contains(*network, *ip);
  }
  const Entry entry = split_port(text);
  if (entry.host.empty() || (!entry.port.empty() && entry.port != port)) return false;
  if (const auto wanted = parse_ip_address(entry.host)) return ip && *ip == *wanted;
  return domain_matches(host, entry.host);
}

bool is_direct(std::string_view no_proxy, std::string_view host_text, std::string_view port) {
  const std::string host = cleaned(host_text);
  const auto ip = parse_ip_address(host);
  if (host == "localhost" || (ip && is_loopback(*ip))) return true;
  while (!no_proxy.empty()) {
    const std::size_t comma = std::min(no_proxy.find(','), no_proxy.size());
    const std::string entry = cleaned(no_proxy.substr(0, comma));
    if (!entry.empty() && entry_matches(entry, host, ip, port)) return true;
    no_proxy.remove_prefix(std::min(comma + 1, no_proxy.size()));
  }
  return false;
}

}  // namespace

ProxyRules proxy_rules(const std::function<std::optional<std::string>(const std::string&)>& environment) {
  const auto first = [&](const char* upper, const char* lower) {
    auto value = environment(upper);
    if (!value || value->empty()) value = environment(lower);
    return value.value_or("");
  };
  return {.http_proxy = first("HTTP_PROXY", "http_proxy"),
          .https_proxy = first("HTTPS_PROXY", "https_proxy"),
          .no_proxy = first("NO_PROXY", "no_proxy")};
}

std::string proxy_for(const ProxyRules& rules, std::string_view scheme, std::string_view host,
                      std::string_view port) {
  const std::string& proxy = scheme == "https" ? rules.https_proxy : rules.http_proxy;
  if (proxy.empty() || is_direct(rules.no_proxy, host, port)) return {};
  return proxy.find("://") == proxy.npos ? "http://" + proxy : proxy;
}

}  // namespace capstan::net
