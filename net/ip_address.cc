#include "net/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>

namespace capstan::net {
namespace {

constexpr std::size_t kV4Offset = 12;  // of the four bytes of an IPv4 address
constexpr unsigned kV4Bits = 96;       // in front of them

}  // namespace

std::optional<IpAddress> parse_ip_address(const std::string& text) {
  IpAddress found;
  if (inet_pton(AF_INET6, text.c_str(), found.bytes.data()) == 1) return found;
  found = {};
  found.bytes[10] = found.bytes[11] = 0xff;
  if (inet_pton(AF_INET, text.c_str(), found.bytes.data() + kV4Offset) == 1) return found;
  return std::nullopt;
}

std::string to_string(const IpAddress& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (is_v4(address)) {
    inet_ntop(AF_INET, address.bytes.data() + kV4Offset, text, sizeof text);
  } else {
    inet_ntop(AF_INET6, address.bytes.data(), text, sizeof text);
  }
  return text;
}

bool is_v4(const IpAddress& address) {
  const auto& bytes = address.bytes;
  return std::all_of(bytes.begin(), bytes.begin() + 10, [](auto byte) { return byte == 0; }) &&
         bytes[10] == 0xff && bytes[11] == 0xff;
}

bool is_loopback(const IpAddress& address) {
  static const IpAddress kLoopback6 = *parse_ip_address("::1");
  return is_v4(address) ? address.bytes[kV4Offset] == 127 : address == kLoopback6;
}

std::optional<IpNetwork> parse_ip_network(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return std::nullopt;
  const auto address = parse_ip_address(text.substr(0, slash));
  const std::string digits = text.substr(slash + 1);
  const bool number =
      !digits.empty() && digits.size() <= 3 && digits.find_first_not_of("0123456789") == digits.npos;
  if (!address || !number) return std::nullopt;
  const bool written_as_v4 = text.find(':') == text.npos;
  const unsigned long bits = std::stoul(digits) + (written_as_v4 ? kV4Bits : 0);
  if (bits > 128) return std::nullopt;
  return IpNetwork{.address = *address, .bits = static_cast<unsigned>(bits), .text = text};
}

bool contains(const IpNetwork& network, const IpAddress& address) {
  if (is_v4(network.address) != is_v4(address)) return false;
  for (unsigned bit = 0; bit < network.bits; ++bit) {
    const auto mask = static_cast<unsigned char>(0x80U >> (bit % 8));
    if ((address.bytes[bit / 8] & mask) != (network.address.bytes[bit / 8] & mask)) return false;
  }
  return true;
}

}  // namespace capstan::net
