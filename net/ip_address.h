// IP addresses and networks as values: what NO_PROXY and the rules about addresses (net/address_rules.h)
// compare. Pure.
#pragma once

#include <array>
#include <optional>
#include <string>

namespace capstan::net {

// IPv4 is mapped into IPv6 (::ffff:10.0.0.1), so that both compare alike.
struct IpAddress {
  std::array<unsigned char, 16> bytes = {};
  bool operator==(const IpAddress&) const = default;
};

std::optional<IpAddress> parse_ip_address(const std::string& text);
std::string to_string(const IpAddress& address);
bool is_v4(const IpAddress& address);
bool is_loopback(const IpAddress& address);

struct IpNetwork {
  IpAddress address = {};
  unsigned bits = 128;    // of the prefix, in IPv6
  std::string text = {};  // as it was written
  bool operator==(const IpNetwork&) const = default;
};

// "10.0.0.0/8", "fd00::/8".
std::optional<IpNetwork> parse_ip_network(const std::string& text);
bool contains(const IpNetwork& network, const IpAddress& address);

}  // namespace capstan::net
