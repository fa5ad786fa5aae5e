#include "base/posix_zone.h"

#include <charconv>
#include <chrono>

namespace capstan {
namespace {

using namespace std::chrono_literals;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "CET" or "<+0330>"; false when there is none.
bool take_abbreviation(std::string_view& text) {
  const bool quoted = text.starts_with('<');
  std::size_t end = quoted ? text.find('>') : 0;
  if (end == std::string_view::npos) return false;
  while (!quoted && end < text.size() && is_letter(text[end])) ++end;
  text.remove_prefix(quoted ? end + 1 : end);
  return end > 0;
}

std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// "[+-]hh[:mm[:ss]]"
std::optional<Seconds> take_time(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  Seconds sum{0};
  Seconds unit = 1h;
  for (bool more = true; more; unit /= 60) {
    const auto number = take_number(text);
    if (!number) return {};
    sum += *number * unit;
    more = unit > 1s && text.starts_with(':');
    if (more) text.remove_prefix(1);
  }
  return negative ? -sum : sum;
}

int year_of(std::int64_t unix_seconds) {
  const auto day = std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(Seconds(unix_seconds)));
  return static_cast<int>(std::chrono::year_month_day(day).year());
}

}  // namespace

std::optional<PosixZone::Turn> PosixZone::turn(std::string_view text) {
  Turn turn;
  if (!text.starts_with('M')) return {};
  for (unsigned* part : {&turn.month, &turn.week, &turn.weekday}) {
    text.remove_prefix(1);
    const auto number = take_number(text);
    if (!number) return {};
    *part = static_cast<unsigned>(*number);
    if (part != &turn.weekday && !text.starts_with('.')) return {};
  }
  if (turn.month < 1 || turn.month > 12 || turn.week < 1 || turn.week > 5 || turn.weekday > 6) return {};
  if (text.empty()) return turn;
  if (!text.starts_with('/')) return {};
  text.remove_prefix(1);
  const auto time = take_time(text);
  if (!time || !text.empty()) return {};
  turn.time = *time;
  return turn;
}

// Zones are west of Greenwich where the number is positive.
std::optional<PosixZone> PosixZone::parse(std::string_view text) {
  PosixZone zone;
  if (!take_abbreviation(text)) return {};
  const auto west = take_time(text);
  if (!west) return {};
  zone.standard_ = -*west;
  zone.summer_ = zone.standard_ + 1h;
  if (text.empty()) return zone;
  if (!take_abbreviation(text)) return {};
  if (!text.starts_with(',')) {
    const auto summer_west = take_time(text);
    if (!summer_west) return {};
    zone.summer_ = -*summer_west;
  }
  const auto between = text.find(',', 1);
  if (!text.starts_with(',') || between == std::string_view::npos) return {};
  zone.begin_ = turn(text.substr(1, between - 1));
  zone.end_ = turn(text.substr(between + 1));
  return zone.begin_ && zone.end_ ? std::optional(zone) : std::nullopt;
}

Seconds PosixZone::local_moment(const Turn& turn, int year) {
  const std::chrono::month_day_last last_day{std::chrono::month(turn.month)};
  const std::chrono::weekday weekday(turn.weekday);
  const auto month = std::chrono::year(year) / last_day.month();
  const std::chrono::sys_days day = turn.week == 5 ? std::chrono::sys_days(month / weekday[std::chrono::last])
                                                   : std::chrono::sys_days(month / weekday[turn.week]);
  return day.time_since_epoch() + turn.time;
}

Seconds PosixZone::offset_at(std::int64_t unix_seconds) const {
  if (!begin_) return standard_;
  const Seconds now(unix_seconds);
  const int year = year_of(unix_seconds + standard_.count());
  const Seconds begin = local_moment(*begin_, year) - standard_;
  const Seconds end = local_moment(*end_, year) - summer_;
  // South of the equator the year begins and ends in summer.
  const bool summer = begin < end ? now >= begin && now < end : now >= begin || now < end;
  return summer ? summer_ : standard_;
}

}  // namespace capstan
