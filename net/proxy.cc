#include "net/proxy.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace capstan::net {
namespace {

// An IP address as 16 bytes; IPv4 mapped into IPv6, so that both compare alike.
using Address = std::array<unsigned char, 16>;

std::string cleaned(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

std::optional<Address> address(const std::string& text) {
  Address found = {};
  if (inet_pton(AF_INET6, text.c_str(), found.data()) == 1) return found;
  found.fill(0);
  found[10] = found[11] = 0xff;
  if (inet_pton(AF_INET, text.c_str(), found.data() + 12) == 1) return found;
  return std::nullopt;
}

bool is_v4(const Address& ip) {
  return std::all_of(ip.begin(), ip.begin() + 10, [](auto byte) { return byte == 0; }) && ip[10] == 0xff &&
         ip[11] == 0xff;
}

bool is_loopback(const Address& ip) {
  if (is_v4(ip)) return ip[12] == 127;
  return ip[15] == 1 && std::all_of(ip.begin(), ip.begin() + 15, [](auto byte) { return byte == 0; });
}

bool in_network(const Address& ip, const std::string& entry, std::size_t slash) {
  const auto network = address(entry.substr(0, slash));
  const std::string digits = entry.substr(slash + 1);
  const bool number =
      !digits.empty() && digits.size() <= 3 && digits.find_first_not_of("0123456789") == digits.npos;
  if (!network || !number || is_v4(*network) != is_v4(ip)) return false;
  const unsigned long offset = is_v4(ip) ? 96 : 0;
  const unsigned long bits = std::stoul(digits) + offset;
  if (bits > 128) return false;
  for (unsigned long bit = 0; bit < bits; ++bit) {
    const auto mask = static_cast<unsigned char>(0x80U >> (bit % 8));
    if ((ip[bit / 8] & mask) != ((*network)[bit / 8] & mask)) return false;
  }
  return true;
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

bool entry_matches(const std::string& text, const std::string& host, const std::optional<Address>& ip,
                   std::string_view port) {
  if (text == "*") return true;
  if (const std::size_t slash = text.find('/'); slash != text.npos) return ip && in_network(*ip, text, slash);
  const Entry entry = split_port(text);
  if (entry.host.empty() || (!entry.port.empty() && entry.port != port)) return false;
  if (const auto wanted = address(entry.host)) return ip && *ip == *wanted;
  return domain_matches(host, entry.host);
}

bool is_direct(std::string_view no_proxy, std::string_view host_text, std::string_view port) {
  const std::string host = cleaned(host_text);
  const auto ip = address(host);
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
