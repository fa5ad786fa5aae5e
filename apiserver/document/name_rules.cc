#include "apiserver/document/name_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace capstan::apiserver {
namespace {

constexpr std::size_t kLabelLimit = 63;
constexpr std::size_t kSubdomainLimit = 253;

bool is_lower_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool is_dns_label(std::string_view text) {
  return !text.empty() && is_lower_alnum(text.front()) && is_lower_alnum(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_lower_alnum(c) || c == '-'; });
}

bool is_dns_subdomain(std::string_view text) {
  for (;;) {
    const auto dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_qualified_part(std::string_view text) {
  return !text.empty() && is_alnum(text.front()) && is_alnum(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

std::string too_long(std::size_t limit) { return fmt::format("must be no more than {} bytes", limit); }

constexpr std::string_view kLabelRegex = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kNameRegex = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

std::string name_part_complaint(std::string_view start) {
  return fmt::format(
      "{}must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character "
      "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{}')",
      start, kNameRegex);
}

}  // namespace

Complaints dns_label_complaints(std::string_view text) {
  Complaints complaints;
  if (text.size() > kLabelLimit) complaints.push_back(too_long(kLabelLimit));
  if (is_dns_label(text)) return complaints;
  if (is_dns_subdomain(text)) {
    complaints.emplace_back("must not contain dots");
  } else {
    complaints.push_back(fmt::format(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "
        "start and end "
        "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{}')",
        kLabelRegex));
  }
  return complaints;
}

Complaints dns_subdomain_complaints(std::string_view text) {
  Complaints complaints;
  if (text.size() > kSubdomainLimit) complaints.push_back(too_long(kSubdomainLimit));
  if (!is_dns_subdomain(text)) {
    complaints.push_back(
        fmt::format("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
                    "or '.', and must start "
                    "and end with an alphanumeric character (e.g. 'example.com', regex used for validation "
                    "is '{0}(\\.{0})*')",
                    kLabelRegex));
  }
  return complaints;
}

Complaints qualified_name_complaints(std::string_view text) {
  Complaints complaints;
  const auto slash = text.find('/');
  auto name = text;
  if (slash != std::string_view::npos) {
    const auto prefix = text.substr(0, slash);
    name = text.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      complaints.push_back(name_part_complaint("a valid label key ") +
                           " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
      return complaints;
    }
    if (prefix.empty()) {
      complaints.emplace_back("prefix part must be non-empty");
    } else {
      for (const auto& complaint : dns_subdomain_complaints(prefix))
        complaints.push_back("prefix part " + complaint);
    }
  }
  if (name.empty()) {
    complaints.emplace_back("name part must be non-empty");
  } else if (name.size() > kLabelLimit) {
    complaints.push_back("name part " + too_long(kLabelLimit));
  }
  if (!is_qualified_part(name)) complaints.push_back(name_part_complaint("name part "));
  return complaints;
}

Complaints label_value_complaints(std::string_view text) {
  Complaints complaints;
  if (text.size() > kLabelLimit) complaints.push_back(too_long(kLabelLimit));
  if (!text.empty() && !is_qualified_part(text)) {
    complaints.push_back(fmt::format(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and "
        "must start "
        "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
        "validation is '({})?')",
        kNameRegex));
  }
  return complaints;
}

Complaints path_segment_complaints(std::string_view text) {
  if (text == "." || text == "..") return {fmt::format("may not be '{}'", text)};
  Complaints complaints;
  for (const char bad : {'/', '%'}) {
    if (text.find(bad) != std::string_view::npos)
      complaints.push_back(fmt::format("may not contain '{}'", bad));
  }
  return complaints;
}

}  // namespace capstan::apiserver
