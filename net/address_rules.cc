#include "net/address_rules.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "net/openssl.h"

namespace capstan::net {
namespace {

IpAddress v4_in(const unsigned char* four) {
  IpAddress address;
  address.bytes[10] = address.bytes[11] = 0xff;
  std::copy_n(four, 4, address.bytes.begin() + 12);
  return address;
}

bool starts_with(const IpAddress& address, std::initializer_list<unsigned char> prefix) {
  return std::equal(prefix.begin(), prefix.end(), address.bytes.begin());
}

// What a packet to that address may reach in truth: this machine for the unspecified address, and the IPv4
// address that stands in one of IPv6 (NAT64, 6to4, "IPv4-compatible").
std::vector<IpAddress> meanings_of(const IpAddress& address) {
  const unsigned char* bytes = address.bytes.data();
  static const IpAddress kNowhere4 = *parse_ip_address("0.0.0.0");
  if (address == kNowhere4) return {address, *parse_ip_address("127.0.0.1")};
  if (address == IpAddress()) return {address, *parse_ip_address("::1"), *parse_ip_address("127.0.0.1")};
  std::vector<IpAddress> all{address};
  if (starts_with(address, {0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) all.push_back(v4_in(bytes + 12));
  if (starts_with(address, {0x20, 0x02})) all.push_back(v4_in(bytes + 2));
  if (starts_with(address, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) && !is_loopback(address))
    all.push_back(v4_in(bytes + 12));
  return all;
}

struct AlwaysDenied {
  IpNetwork network = {};
  std::string_view what = {};
};

const std::vector<AlwaysDenied>& always_denied() {
  static const std::vector<AlwaysDenied> kAll = {
      {*parse_ip_network("169.254.0.0/16"), "a link-local address"},
      {*parse_ip_network("fe80::/10"), "a link-local address"},
      {*parse_ip_network("fd00:ec2::254/128"), "the address of a cloud's metadata service"},
  };
  return kAll;
}

}  // namespace

std::optional<std::string> why_denied(const AddressRules& rules, const IpAddress& address) {
  for (const IpAddress& meant : meanings_of(address)) {
    for (const auto& [network, what] : always_denied())
      if (contains(network, meant)) return fmt::format("{} is {}", to_string(address), what);
    for (const IpNetwork& network : rules.denied)
      if (contains(network, meant))
        return fmt::format("{} is in the denied network {}", to_string(address), network.text);
  }
  return {};
}

std::optional<IpAddress> literal_address(const std::string& host) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0) return std::nullopt;
  const std::unique_ptr<addrinfo, FreeWith<freeaddrinfo>> owned(found);
  IpAddress address;
  if (found->ai_family == AF_INET6) {
    sockaddr_in6 six = {};
    std::memcpy(&six, found->ai_addr, sizeof six);
    std::memcpy(address.bytes.data(), &six.sin6_addr, address.bytes.size());
    return address;
  }
  sockaddr_in four = {};
  std::memcpy(&four, found->ai_addr, sizeof four);
  unsigned char raw[4] = {};
  std::memcpy(raw, &four.sin_addr, sizeof raw);
  return v4_in(raw);
}

}  // namespace capstan::net
