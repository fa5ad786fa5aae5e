// Where a client may connect to when its server was named by others (a kubeconfig Secret). Dial asks with the
// address that it is about to connect to, after every name was looked up. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/ip_address.h"

namespace capstan::net {

struct AddressRules {
  // Besides what is always denied: link-local addresses, and fd00:ec2::254, where a cloud serves the
  // credentials of its machines.
  std::vector<IpNetwork> denied = {};
  bool plain_http_on_loopback = false;  // otherwise TLS only
};

// Reason of the error when rules deny an address; its code is Unavailable, for a name may lead elsewhere
// later.
inline constexpr std::string_view kAddressDenied = "AddressDenied";

// "169.254.1.1 is a link-local address"; nothing: it may be connected to.
std::optional<std::string> why_denied(const AddressRules& rules, const IpAddress& address);

// The host when it is an address in any notation that a resolver reads as one ("0x7f.1", "2130706433").
// Looks nothing up.
std::optional<IpAddress> literal_address(const std::string& host);

}  // namespace capstan::net
