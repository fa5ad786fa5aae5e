#include "api/v1beta2/syntax.h"

#include <arpa/inet.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/base64.h"
#include "base/hash.h"

namespace capstan::api {
namespace {

constexpr std::size_t kMaxLabelLength = 63;
constexpr std::size_t kMaxNameLength = 253;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_word(char c) { return is_digit(c) || is_lower(c) || (c >= 'A' && c <= 'Z'); }

// Letters and digits at both ends, "-", "_" and "." between.
bool is_label_name(std::string_view text) {
  if (text.empty() || !is_word(text.front()) || !is_word(text.back())) return false;
  return std::ranges::all_of(text, [](char c) { return is_word(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_dns_label(std::string_view text) {
  const auto end_ok = [](char c) { return is_digit(c) || is_lower(c); };
  if (text.empty() || !end_ok(text.front()) || !end_ok(text.back())) return false;
  return std::ranges::all_of(text, [&](char c) { return end_ok(c) || c == '-'; });
}

bool is_dns_subdomain(std::string_view text) {
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string too_long(std::size_t limit) { return fmt::format("must be no more than {} bytes", limit); }

bool is_address(int family, std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return false;
  std::array<unsigned char, 16> bytes = {};
  return inet_pton(family, std::string(text).c_str(), bytes.data()) == 1;
}

bool is_ipv6(std::string_view text) { return is_address(AF_INET6, text); }

std::array<char, 4> big_endian(std::uint32_t number) {
  return {static_cast<char>(number >> 24U), static_cast<char>(number >> 16U), static_cast<char>(number >> 8U),
          static_cast<char>(number)};
}

}  // namespace

std::vector<std::string> label_value_faults(std::string_view text) {
  std::vector<std::string> faults;
  if (text.size() > kMaxLabelLength) faults.push_back(too_long(kMaxLabelLength));
  if (!text.empty() && !is_label_name(text)) {
    faults.emplace_back(
        "must be empty, or letters, digits, '-', '_' and '.' with a letter or digit at both ends, as "
        "'my_value'");
  }
  return faults;
}

std::vector<std::string> label_key_faults(std::string_view text) {
  std::vector<std::string> faults;
  const std::size_t slash = text.find('/');
  const auto name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  if (slash != std::string_view::npos) {
    for (const auto& fault : dns_subdomain_faults(text.substr(0, slash)))
      faults.push_back("prefix part " + fault);
  }
  if (name.size() > kMaxLabelLength) faults.push_back("name part " + too_long(kMaxLabelLength));
  if (!is_label_name(name)) {
    faults.emplace_back(
        "name part must be letters, digits, '-', '_' and '.' with a letter or digit at both ends, as "
        "'example.com/my.name'");
  }
  return faults;
}

std::vector<std::string> dns_subdomain_faults(std::string_view text) {
  std::vector<std::string> faults;
  if (text.size() > kMaxNameLength) faults.push_back(too_long(kMaxNameLength));
  if (!is_dns_subdomain(text)) {
    faults.emplace_back(
        "must be lower-case letters, digits, '-' and '.' with a letter or digit at both ends of every part, "
        "as 'example.com'");
  }
  return faults;
}

std::string label_value(std::string_view text) {
  if (label_value_faults(text).empty()) return std::string(text);
  const auto hash = big_endian(fnv1a_32(text));
  return fmt::format("hash_{}_z", base64url_encode({hash.data(), hash.size()}));
}

bool is_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const auto address = text.substr(0, slash);
  const auto prefix = text.substr(slash + 1);
  const bool v6 = is_ipv6(address);
  if (!v6 && !is_ipv4(address)) return false;

  unsigned length = 0;
  const auto [end, fault] = std::from_chars(prefix.data(), prefix.data() + prefix.size(), length);
  return fault == std::errc() && end == prefix.data() + prefix.size() && length <= (v6 ? 128U : 32U);
}

bool is_ipv4(std::string_view text) { return is_address(AF_INET, text); }

bool is_ip(std::string_view text) {
  const std::size_t percent = text.find('%');
  if (percent == std::string_view::npos) return is_ipv4(text) || is_ipv6(text);
  return percent + 1 < text.size() && is_ipv6(text.substr(0, percent));
}

}  // namespace capstan::api
