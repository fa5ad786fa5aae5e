#include "apiserver/schema/formats.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "apiserver/document/name_rules.h"

namespace capstan::apiserver {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Does the text look like the model, where 0 stands for a digit?
bool shaped_like(std::string_view text, std::string_view model) {
  return text.size() == model.size() && std::ranges::equal(text, model, [](char have, char want) {
           return want == '0' ? is_digit(have) : std::toupper(static_cast<unsigned char>(have)) == want;
         });
}

int number(std::string_view text) {
  int value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_date(std::string_view text) {
  if (!shaped_like(text, "0000-00-00")) return false;
  const int month = number(text.substr(5, 2));
  const int day = number(text.substr(8, 2));
  static constexpr std::array kDays = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month >= 1 && month <= 12 && day >= 1 && day <= kDays[static_cast<std::size_t>(month - 1)];
}

bool is_ip(std::string_view text, int family) {
  std::array<unsigned char, 16> bytes = {};
  return inet_pton(family, std::string(text).c_str(), bytes.data()) == 1;
}

bool is_cidr(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const auto bits = number(text.substr(slash + 1));
  const auto address = text.substr(0, slash);
  return (is_ip(address, AF_INET) && bits >= 0 && bits <= 32) ||
         (is_ip(address, AF_INET6) && bits >= 0 && bits <= 128);
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return true;
}

bool is_mac(std::string_view text) {
  if (text.size() != 17) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool separator = i % 3 == 2;
    if (separator ? text[i] != ':' && text[i] != '-'
                  : std::isxdigit(static_cast<unsigned char>(text[i])) == 0)
      return false;
  }
  return true;
}

// Go durations: "1h30m", "-1.5s", "0".
bool is_duration(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return true;
  if (text.empty()) return false;
  while (!text.empty()) {
    const auto unit = text.find_first_not_of("0123456789.");
    if (unit == 0 || unit == std::string_view::npos || text.substr(0, unit) == ".") return false;
    text.remove_prefix(unit);
    const auto end = std::min(text.find_first_of("0123456789."), text.size());
    static constexpr std::array<std::string_view, 7> kUnits = {"ns", "us", "µs", "ms", "s", "m", "h"};
    if (std::ranges::find(kUnits, text.substr(0, end)) == kUnits.end()) return false;
    text.remove_prefix(end);
  }
  return true;
}

bool is_email(std::string_view text) {
  const auto at = text.find('@');
  return at != std::string_view::npos && at > 0 && at + 1 < text.size() &&
         text.find(' ') == std::string_view::npos;
}

bool is_uri(std::string_view text) {
  const auto colon = text.find(':');
  return text.starts_with('/') ||
         (colon != std::string_view::npos && colon > 0 && text.find(' ') == std::string_view::npos);
}

bool is_hostname(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return dns_subdomain_complaints(lower).empty();
}

using Check = bool (*)(std::string_view);
constexpr auto kFormats = std::to_array<std::pair<std::string_view, Check>>({
    {"date-time", is_date_time},
    {"datetime", is_date_time},
    {"date", is_date},
    {"duration", is_duration},
    {"byte", is_base64},
    {"uuid", is_uuid},
    {"uuid3", is_uuid},
    {"uuid4", is_uuid},
    {"uuid5", is_uuid},
    {"ipv4", [](std::string_view text) { return is_ip(text, AF_INET); }},
    {"ipv6", [](std::string_view text) { return is_ip(text, AF_INET6); }},
    {"cidr", is_cidr},
    {"mac", is_mac},
    {"email", is_email},
    {"hostname", is_hostname},
    {"uri", is_uri},
    {"k8s-short-name", [](std::string_view text) { return dns_label_complaints(text).empty(); }},
    {"k8s-long-name", [](std::string_view text) { return dns_subdomain_complaints(text).empty(); }},
});

}  // namespace

bool has_format(std::string_view format, std::string_view text) {
  const auto found = std::ranges::find(kFormats, format, [](const auto& row) { return row.first; });
  return found == kFormats.end() || found->second(text);
}

bool is_date_time(std::string_view text) {
  if (text.size() < 20 || !is_date(text.substr(0, 10)) || !shaped_like(text.substr(10, 9), "T00:00:00"))
    return false;
  if (number(text.substr(11, 2)) > 23 || number(text.substr(14, 2)) > 59 || number(text.substr(17, 2)) > 59)
    return false;
  auto rest = text.substr(19);
  if (rest.starts_with('.')) {
    const auto end = rest.find_first_not_of("0123456789", 1);
    if (end == 1 || end == std::string_view::npos) return false;
    rest.remove_prefix(end);
  }
  if (rest == "Z" || rest == "z") return true;
  return shaped_like(rest, "+00:00") || shaped_like(rest, "-00:00");
}

std::size_t first_bad_base64(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool letter =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '/' || c == '\n' || c == '\r';
    if (!letter && !(c == '=' && i + 2 >= text.size())) return i;
  }
  return text.size();
}

bool is_base64(std::string_view text) {
  const auto letters = text.size() - static_cast<std::size_t>(std::ranges::count_if(
                                         text, [](char c) { return c == '\n' || c == '\r'; }));
  return letters % 4 == 0 && first_bad_base64(text) == text.size();
}

}  // namespace capstan::apiserver
