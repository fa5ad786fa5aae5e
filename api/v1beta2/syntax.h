// How Kubernetes wants names, label keys and label values written, and what to do with a name that is no
// label value. Pure functions; the faults are phrases for "metadata.name: Invalid value: ...: <fault>".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace capstan::api {

// Empty when there is nothing to complain about.
std::vector<std::string> label_value_faults(std::string_view text);
std::vector<std::string> label_key_faults(std::string_view text);
std::vector<std::string> dns_subdomain_faults(std::string_view text);

// The text itself when it can be a label value, else a short stand-in that is always the same for the same
// text: the value of the set-name and pool-name labels.
std::string label_value(std::string_view text);

// "10.0.0.0/16", "fd00::/108"
bool is_cidr(std::string_view text);
// "10.0.0.7"
bool is_ipv4(std::string_view text);
// IPv4 or IPv6; a zone may follow an IPv6 address ("fe80::1%eth0").
bool is_ip(std::string_view text);

}  // namespace capstan::api
