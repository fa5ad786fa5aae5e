#include "base/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

namespace capstan {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_identifier_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}
bool is_numeric(std::string_view identifier) { return std::ranges::all_of(identifier, is_digit); }

std::optional<std::uint64_t> take_number(std::string_view& text) {
  const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
  if (digits == 0 || (digits > 1 && text.front() == '0')) return {};
  std::uint64_t value = 0;
  if (std::from_chars(text.data(), text.data() + digits, value).ec != std::errc()) return {};
  text.remove_prefix(digits);
  return value;
}

bool take_literal(std::string_view& text, char expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(1);
  return true;
}

// The part before the first '.', which is taken away with it.
std::string_view take_identifier(std::string_view& identifiers) {
  const auto end = std::min(identifiers.find('.'), identifiers.size());
  const auto identifier = identifiers.substr(0, end);
  identifiers.remove_prefix(std::min(end + 1, identifiers.size()));
  return identifier;
}

enum class LeadingZeros { Allowed, Refused };

bool are_identifiers(std::string_view text, LeadingZeros zeros) {
  if (text.empty() || text.ends_with('.')) return false;
  while (!text.empty()) {
    const auto identifier = take_identifier(text);
    if (identifier.empty() || !std::ranges::all_of(identifier, is_identifier_character)) return false;
    const bool padded = identifier.size() > 1 && identifier.front() == '0' && is_numeric(identifier);
    if (padded && zeros == LeadingZeros::Refused) return false;
  }
  return true;
}

std::optional<Version> parse_semantic(std::string_view text) {
  const auto major = take_number(text);
  if (!major || !take_literal(text, '.')) return {};
  const auto minor = take_number(text);
  if (!minor || !take_literal(text, '.')) return {};
  const auto patch = take_number(text);
  if (!patch) return {};

  Version version{.major = *major, .minor = *minor, .patch = *patch};
  const auto plus = std::min(text.find('+'), text.size());
  const auto suffix = text.substr(0, plus);
  if (plus < text.size()) {
    version.build = text.substr(plus + 1);
    if (!are_identifiers(version.build, LeadingZeros::Allowed)) return {};
  }
  if (!suffix.empty()) {
    if (suffix.front() != '-') return {};
    version.prerelease = suffix.substr(1);
    if (!are_identifiers(version.prerelease, LeadingZeros::Refused)) return {};
  }
  return version;
}

Result<Version> or_invalid(std::optional<Version> version, std::string_view text) {
  if (!version) return fail(Code::Invalid, fmt::format("\"{}\" is not a version such as v1.36.3", text));
  return *std::move(version);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = std::min(text.find_first_not_of(kSpace), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

// "1.30" -> "1.30.0", "01.2.3" -> "1.2.3"; a short version can't carry a suffix, as it would be unclear what
// it belongs to.
std::optional<std::string> completed(std::string_view text) {
  std::string full;
  for (int part = 0; part < 3; ++part) {
    const bool last = part == 2;
    const auto end = last ? text.size() : std::min(text.find('.'), text.size());
    auto number = text.substr(0, end);
    if (!last && number.find_first_of("+-") != std::string_view::npos) return {};
    while (number.size() > 1 && number[0] == '0' && is_digit(number[1])) number.remove_prefix(1);
    full += number;
    if (!last) full += '.';
    if (end == text.size() && !last) return full += part == 0 ? "0.0" : "0";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return full;
}

std::strong_ordering compare_identifiers(std::string_view a, std::string_view b) {
  const bool a_numeric = is_numeric(a);
  const bool b_numeric = is_numeric(b);
  if (a_numeric && b_numeric) return std::tuple(a.size(), a) <=> std::tuple(b.size(), b);
  if (a_numeric != b_numeric) return a_numeric ? std::strong_ordering::less : std::strong_ordering::greater;
  return a <=> b;
}

std::strong_ordering compare_prereleases(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.empty() <=> b.empty();  // a release comes after its candidates
  while (!a.empty() && !b.empty()) {
    const auto order = compare_identifiers(take_identifier(a), take_identifier(b));
    if (order != 0) return order;
  }
  return b.empty() <=> a.empty();
}

}  // namespace

Result<Version> Version::parse(std::string_view text) {
  return or_invalid(parse_semantic(text.starts_with('v') ? text.substr(1) : text), text);
}

Result<Version> Version::parse_tolerant(std::string_view text) {
  auto bare = trimmed(text);
  if (bare.starts_with('v')) bare.remove_prefix(1);
  const auto full = completed(bare);
  return or_invalid(full ? parse_semantic(*full) : std::nullopt, text);
}

std::string Version::to_string() const {
  return fmt::format("v{}.{}.{}{}{}{}{}", major, minor, patch, prerelease.empty() ? "" : "-", prerelease,
                     build.empty() ? "" : "+", build);
}

std::weak_ordering Version::operator<=>(const Version& other) const {
  const auto numbers = std::tuple(major, minor, patch) <=> std::tuple(other.major, other.minor, other.patch);
  return numbers != 0 ? numbers : compare_prereleases(prerelease, other.prerelease);
}

}  // namespace capstan
