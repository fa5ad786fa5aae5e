#include "base/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace capstan {
namespace {

constexpr std::uint64_t kMinute = 60'000'000'000ULL;
constexpr std::uint64_t kHour = 60 * kMinute;
constexpr std::uint64_t kMostNegative = 1ULL << 63U;  // the magnitude of the smallest int64

struct Unit {
  std::string_view name;
  std::uint64_t nanoseconds;
};

constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                         {"us", 1'000},
                                         {"\u00b5s", 1'000},  // micro sign
                                         {"\u03bcs", 1'000},  // Greek mu
                                         {"ms", 1'000'000},
                                         {"s", 1'000'000'000},
                                         {"m", kMinute},
                                         {"h", kHour}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The digits before the point; nothing when they do not fit.
std::optional<std::uint64_t> take_whole(std::string_view& text) {
  std::uint64_t value = 0;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
    const auto digit = static_cast<std::uint64_t>(text.front() - '0');
    if (value > (kMostNegative - digit) / 10) return {};
    value = value * 10 + digit;
  }
  return value;
}

struct Fraction {
  std::uint64_t digits = 0;
  double scale = 1;
};

// The digits behind the point; those beyond the precision of 64 bits are read but don't count.
Fraction take_fraction(std::string_view& text) {
  Fraction fraction;
  bool full = false;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
    const auto digit = static_cast<std::uint64_t>(text.front() - '0');
    full = full || fraction.digits > (kMostNegative - 1 - digit) / 10;
    if (full) continue;
    fraction.digits = fraction.digits * 10 + digit;
    fraction.scale *= 10;
  }
  return fraction;
}

std::optional<std::uint64_t> take_unit(std::string_view& text) {
  const auto end = std::min(text.find_first_of(".0123456789"), text.size());
  for (const Unit& unit : kUnits) {
    if (unit.name != text.substr(0, end)) continue;
    text.remove_prefix(end);
    return unit.nanoseconds;
  }
  return {};
}

// One "1.5h".
std::optional<std::uint64_t> take_term(std::string_view& text) {
  const std::size_t before = text.size();
  const auto whole = take_whole(text);
  bool has_digits = text.size() != before;
  if (!whole) return {};
  Fraction fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t left = text.size();
    fraction = take_fraction(text);
    has_digits = has_digits || text.size() != left;
  }
  if (!has_digits) return {};
  const auto unit = take_unit(text);
  if (!unit || *whole > kMostNegative / *unit) return {};
  const double part = static_cast<double>(fraction.digits) * (static_cast<double>(*unit) / fraction.scale);
  const std::uint64_t total = *whole * *unit + static_cast<std::uint64_t>(part);
  if (total > kMostNegative) return {};
  return total;
}

std::optional<Nanoseconds> parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Nanoseconds(0);
  if (text.empty()) return {};
  std::uint64_t total = 0;
  while (!text.empty()) {
    const auto term = take_term(text);
    if (!term || *term > kMostNegative - total) return {};
    total += *term;
  }
  if (!negative && total == kMostNegative) return {};
  return Nanoseconds(static_cast<std::int64_t>(negative ? 0 - total : total));
}

// "1.5", "1.001", "2": value / unit without a trailing zero.
std::string decimal(std::uint64_t value, std::uint64_t unit) {
  std::string text = std::to_string(value / unit);
  std::uint64_t rest = value % unit;
  if (rest == 0) return text;
  text += '.';
  for (; rest != 0; rest %= unit) {
    rest *= 10;
    text += static_cast<char>('0' + rest / unit);
  }
  return text;
}

std::string format_magnitude(std::uint64_t nanoseconds) {
  if (nanoseconds == 0) return "0s";
  if (nanoseconds < 1'000) return std::to_string(nanoseconds) + "ns";
  if (nanoseconds < 1'000'000) return decimal(nanoseconds, 1'000) + "\u00b5s";
  if (nanoseconds < 1'000'000'000) return decimal(nanoseconds, 1'000'000) + "ms";
  std::string text;
  if (nanoseconds >= kHour) text += std::to_string(nanoseconds / kHour) + "h";
  if (nanoseconds >= kMinute) text += std::to_string(nanoseconds % kHour / kMinute) + "m";
  return text + decimal(nanoseconds % kMinute, 1'000'000'000) + "s";
}

}  // namespace

Result<Nanoseconds> parse_duration(std::string_view text) {
  const auto span = parse(text);
  if (!span)
    return fail(Code::Invalid, fmt::format("\"{}\" is not a duration such as 1h30m, 20s or 300ms", text));
  return *span;
}

std::string format_duration(Nanoseconds span) {
  const auto count = static_cast<std::uint64_t>(span.count());
  return span.count() < 0 ? "-" + format_magnitude(0 - count) : format_magnitude(count);
}

}  // namespace capstan
