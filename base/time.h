// Points in time as Kubernetes objects carry them. Time: whole seconds in four bytes (metav1.Time), what
// cached objects hold. MicroTime: microseconds, for Leases and Events. Both have a "not set" state, which is
// null on the wire. Plain values.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"

namespace capstan {

// Holds 1970 to 2106; what lies outside becomes the nearest end. Unset sorts before everything.
class Time {
 public:
  constexpr Time() = default;
  static constexpr Time from_unix(std::int64_t seconds) {
    constexpr std::int64_t kLast = std::numeric_limits<std::uint32_t>::max() - 1LL;
    return Time(static_cast<std::uint32_t>((seconds < 0 ? 0 : seconds > kLast ? kLast : seconds) + 1));
  }
  static Time from(WallTime time);  // the fraction is cut off
  // As Go reads RFC 3339: fractions and offsets are understood, the fraction is dropped; the year 1 is "not
  // set".
  static Result<Time> parse(std::string_view text);

  constexpr bool is_set() const { return stored_ != 0; }
  constexpr std::int64_t unix_seconds() const {
    return static_cast<std::int64_t>(stored_) - 1;
  }  // only when set
  WallTime wall() const;          // only when set
  std::string to_string() const;  // "2006-01-02T15:04:05Z"; empty when not set

  auto operator<=>(const Time&) const = default;
  bool operator==(const Time&) const = default;

 private:
  constexpr explicit Time(std::uint32_t stored) : stored_(stored) {}
  std::uint32_t stored_ = 0;  // seconds since 1970, plus one
};

constexpr Seconds operator-(Time later, Time earlier) {
  return Seconds(later.unix_seconds() - earlier.unix_seconds());
}
constexpr Time operator+(Time time, Seconds span) {
  return Time::from_unix(time.unix_seconds() + span.count());
}

class MicroTime {
 public:
  constexpr MicroTime() = default;
  static constexpr MicroTime from_unix_micros(std::int64_t micros) { return MicroTime(micros); }
  static MicroTime from(WallTime time);
  // As Kubernetes reads it: exactly six digits of fraction, any offset.
  static Result<MicroTime> parse(std::string_view text);

  constexpr bool is_set() const { return micros_ != kUnset; }
  constexpr std::int64_t unix_micros() const { return micros_; }  // only when set
  WallTime wall() const;                                          // only when set
  std::string to_string() const;  // "2006-01-02T15:04:05.000000Z"; empty when not set

  auto operator<=>(const MicroTime&) const = default;
  bool operator==(const MicroTime&) const = default;

 private:
  static constexpr std::int64_t kUnset = std::numeric_limits<std::int64_t>::min();
  constexpr explicit MicroTime(std::int64_t micros) : micros_(micros) {}
  std::int64_t micros_ = kUnset;
};

}  // namespace capstan
