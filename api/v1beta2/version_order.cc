#include "api/v1beta2/version_order.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace capstan::api {
namespace {

VersionOrder order(std::weak_ordering ordering) {
  if (ordering < 0) return VersionOrder::Older;
  return ordering > 0 ? VersionOrder::Newer : VersionOrder::Same;
}

bool is_number(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string_view take_part(std::string_view& rest) {
  const std::size_t dot = rest.find('.');
  const auto part = rest.substr(0, dot);
  rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
  return part;
}

// Numbers by value and before words; words are the same or just different.
VersionOrder compare_parts(std::string_view left, std::string_view right) {
  if (is_number(left) && is_number(right)) return order(number(left) <=> number(right));
  if (is_number(left)) return VersionOrder::Older;
  if (is_number(right)) return VersionOrder::Newer;
  return left == right ? VersionOrder::Same : VersionOrder::Different;
}

VersionOrder compare_builds(std::string_view left, std::string_view right) {
  while (!left.empty() && !right.empty()) {
    const auto result = compare_parts(take_part(left), take_part(right));
    if (result != VersionOrder::Same) return result;
  }
  if (left.empty() && right.empty()) return VersionOrder::Same;
  return left.empty() ? VersionOrder::Older : VersionOrder::Newer;
}

}  // namespace

VersionOrder compare_with_build(const Version& left, const Version& right) {
  const auto ordering = left <=> right;
  return ordering == 0 ? compare_builds(left.build, right.build) : order(ordering);
}

}  // namespace capstan::api
