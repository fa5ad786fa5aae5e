#include "base/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <optional>

namespace capstan {
namespace {

using std::chrono::days;
using std::chrono::microseconds;

// An instant with the precision of the text it came from: Kubernetes knows the years 0 to 9999, nanoseconds
// don't.
struct Instant {
  std::int64_t seconds = 0;  // since 1970
  std::int64_t nanoseconds = 0;
  std::size_t fraction_digits = 0;
};

// Reads an RFC 3339 text from the front, part by part; any part that does not fit makes the whole fail.
class Rfc3339Reader {
 public:
  explicit Rfc3339Reader(std::string_view text) : left_(text) {}
  std::optional<Instant> read();

 private:
  bool literal(char expected);
  std::optional<int> digits(std::size_t count);
  std::optional<int> hour();
  std::optional<std::int64_t> date();   // days since 1970
  std::optional<std::int64_t> clock();  // seconds since midnight
  bool fraction(Instant& instant);
  std::optional<std::int64_t> offset();  // seconds east of Greenwich

  std::string_view left_;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<Instant> Rfc3339Reader::read() {
  Instant instant;
  const auto day = date();
  if (!day || !literal('T')) return {};
  const auto second = clock();
  if (!second || !fraction(instant)) return {};
  const auto east = offset();
  if (!east || !left_.empty()) return {};
  instant.seconds = *day * 86'400 + *second - *east;
  return instant;
}

bool Rfc3339Reader::literal(char expected) {
  if (left_.empty() || left_.front() != expected) return false;
  left_.remove_prefix(1);
  return true;
}

std::optional<int> Rfc3339Reader::digits(std::size_t count) {
  if (left_.size() < count) return {};
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_digit(left_[i])) return {};
    value = value * 10 + (left_[i] - '0');
  }
  left_.remove_prefix(count);
  return value;
}

std::optional<std::int64_t> Rfc3339Reader::date() {
  const auto year = digits(4);
  if (!year || !literal('-')) return {};
  const auto month = digits(2);
  if (!month || !literal('-')) return {};
  const auto day = digits(2);
  if (!day) return {};
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return {};
  return std::chrono::sys_days(date).time_since_epoch().count();
}

// Go takes an hour of one digit, so objects with such a time exist.
std::optional<int> Rfc3339Reader::hour() {
  const bool one_digit = left_.size() > 1 && !is_digit(left_[1]);
  return digits(one_digit ? 1 : 2);
}

std::optional<std::int64_t> Rfc3339Reader::clock() {
  const auto hours = hour();
  if (!hours || *hours > 23 || !literal(':')) return {};
  const auto minutes = digits(2);
  if (!minutes || *minutes > 59 || !literal(':')) return {};
  const auto seconds = digits(2);
  if (!seconds || *seconds > 59) return {};
  return *hours * 3600 + *minutes * 60 + *seconds;
}

bool Rfc3339Reader::fraction(Instant& instant) {
  if (!literal('.') && !literal(',')) return true;
  std::int64_t unit = 100'000'000;
  for (; !left_.empty() && is_digit(left_.front()); left_.remove_prefix(1), unit /= 10) {
    instant.nanoseconds += unit * (left_.front() - '0');
    ++instant.fraction_digits;
  }
  return instant.fraction_digits > 0;
}

std::optional<std::int64_t> Rfc3339Reader::offset() {
  if (literal('Z')) return 0;
  const bool west = literal('-');
  if (!west && !literal('+')) return {};
  const auto hours = digits(2);
  if (!hours || *hours > 24 || !literal(':')) return {};
  const auto minutes = digits(2);
  if (!minutes || *minutes > 60) return {};
  const std::int64_t seconds = *hours * 3600 + *minutes * 60;
  return west ? -seconds : seconds;
}

// Over the digits that stand at `from`: "--" becomes "07".
void put(std::string& text, std::size_t from, std::size_t digits, std::int64_t number) {
  for (std::size_t at = from + digits; at-- > from; number /= 10) {
    text[at] = static_cast<char>('0' + number % 10);
  }
}

// Every status that is written has a dozen times in it, so no format string is read for each.
std::string date_and_clock(std::int64_t unix_seconds) {
  const std::chrono::sys_seconds instant{Seconds(unix_seconds)};
  const auto day = std::chrono::floor<days>(instant);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(instant - day);
  std::string text = "yyyy-mm-ddThh:mm:ss";
  put(text, 0, 4, std::clamp(static_cast<int>(date.year()), 0, 9999));
  put(text, 5, 2, static_cast<unsigned>(date.month()));
  put(text, 8, 2, static_cast<unsigned>(date.day()));
  put(text, 11, 2, clock.hours().count());
  put(text, 14, 2, clock.minutes().count());
  put(text, 17, 2, clock.seconds().count());
  return text;
}

constexpr std::int64_t kGoZeroTime = -62'135'596'800;  // 0001-01-01T00:00:00Z, which Go calls "not set"

Failure not_a_time(std::string_view text, std::string_view example) {
  return fail(Code::Invalid, fmt::format("\"{}\" is not a time such as {}", text, example));
}

}  // namespace

Time Time::from(WallTime time) {
  return from_unix(std::chrono::floor<Seconds>(time).time_since_epoch().count());
}

Result<Time> Time::parse(std::string_view text) {
  const auto instant = Rfc3339Reader(text).read();
  if (!instant) return not_a_time(text, "2006-01-02T15:04:05Z");
  if (instant->seconds == kGoZeroTime && instant->nanoseconds == 0) return Time();
  return from_unix(instant->seconds);
}

WallTime Time::wall() const {
  assert(is_set() && "an unset time is no point in time");
  return WallTime(Seconds(unix_seconds()));
}

std::string Time::to_string() const {
  if (!is_set()) return {};
  return date_and_clock(unix_seconds()) + "Z";
}

MicroTime MicroTime::from(WallTime time) {
  return MicroTime(std::chrono::floor<microseconds>(time).time_since_epoch().count());
}

Result<MicroTime> MicroTime::parse(std::string_view text) {
  const auto instant = Rfc3339Reader(text).read();
  if (!instant || instant->fraction_digits != 6) return not_a_time(text, "2006-01-02T15:04:05.000000Z");
  if (instant->seconds == kGoZeroTime && instant->nanoseconds == 0) return MicroTime();
  return MicroTime(instant->seconds * 1'000'000 + instant->nanoseconds / 1000);
}

WallTime MicroTime::wall() const {
  assert(is_set() && "an unset time is no point in time");
  constexpr auto kFirst = std::chrono::ceil<microseconds>(WallTime::min()).time_since_epoch().count();
  constexpr auto kLast = std::chrono::floor<microseconds>(WallTime::max()).time_since_epoch().count();
  return WallTime(microseconds(std::min(std::max(micros_, kFirst), kLast)));
}

std::string MicroTime::to_string() const {
  if (!is_set()) return {};
  const std::chrono::sys_time<microseconds> instant{microseconds(micros_)};
  const auto seconds = std::chrono::floor<Seconds>(instant);
  return fmt::format("{}.{:06}Z", date_and_clock(seconds.time_since_epoch().count()),
                     (instant - seconds).count());
}

}  // namespace capstan
