#include "base/cron.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <vector>

#include "base/try.h"

namespace capstan {
namespace {

using namespace std::chrono_literals;
using Bits = std::bitset<64>;

constexpr std::array<std::string_view, 12> kMonths = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                      "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> kWeekdays = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};
constexpr int kSunday = 7;
// The longest time between two 29ths of February: over a year like 2100.
constexpr std::chrono::years kLongest{9};

struct CronField {
  std::string_view name;
  int first;
  int last;
  std::span<const std::string_view> names = {};
};
constexpr std::array<CronField, 5> kCronFields = {{{"minute", 0, 59},
                                                   {"hour", 0, 23},
                                                   {"day of the month", 1, 31},
                                                   {"month", 1, 12, kMonths},
                                                   {"day of the week", 0, kSunday, kWeekdays}}};

std::string names_in_words(const CronField& field) {
  return field.names.empty() ? std::string()
                             : fmt::format(" and of {} to {}", field.names.front(), field.names.back());
}

Failure bad_field(const CronField& field, std::string_view text) {
  return fail(
      Code::Invalid,
      fmt::format("the {} \"{}\" is none of {} to {}{}: write *, a number, a range as 1-5, steps as */2, or "
                  "several of these with commas between them",
                  field.name, text, field.first, field.last, names_in_words(field)));
}

std::vector<std::string_view> pieces(std::string_view text, char between) {
  std::vector<std::string_view> all;
  for (auto at = text.find(between); at != std::string_view::npos; at = text.find(between)) {
    all.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  all.push_back(text);
  return all;
}

std::vector<std::string_view> cron_words(std::string_view text) {
  auto words = pieces(text, ' ');
  std::erase(words, std::string_view());
  return words;
}

std::optional<int> cron_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return upper;
}

std::optional<int> value_of(const CronField& field, std::string_view text) {
  if (const auto name = std::ranges::find(field.names, upper_case(text)); name != field.names.end())
    return field.first + static_cast<int>(name - field.names.begin());
  const auto number = cron_number(text);
  return number && *number >= field.first && *number <= field.last ? number : std::nullopt;
}

struct CronRange {
  int from = 0;
  int to = 0;
};

std::optional<CronRange> range_of(const CronField& field, std::string_view text, bool stepped) {
  if (text == "*") return CronRange{field.first, field.last};
  const auto ends = pieces(text, '-');
  const auto from = value_of(field, ends.front());
  if (!from || ends.size() > 2) return {};
  if (ends.size() == 1) return CronRange{*from, stepped ? field.last : *from};
  const auto to = value_of(field, ends.back());
  return to && *to >= *from ? std::optional(CronRange{*from, *to}) : std::nullopt;
}

std::optional<Bits> bits_of_item(const CronField& field, std::string_view text) {
  const auto parts = pieces(text, '/');
  if (parts.size() > 2) return {};
  const auto range = range_of(field, parts.front(), parts.size() == 2);
  const auto step = parts.size() == 2 ? cron_number(parts.back()) : std::optional(1);
  if (!range || !step || *step < 1) return {};
  Bits bits;
  for (int each = range->from; each <= range->to; each += *step) bits.set(static_cast<std::size_t>(each));
  return bits;
}

Result<Bits> bits_of(const CronField& field, std::string_view text) {
  Bits all;
  for (const std::string_view item : pieces(text, ',')) {
    const auto bits = bits_of_item(field, item);
    if (!bits) return bad_field(field, text);
    all |= *bits;
  }
  return all;
}

bool is_restricted(std::string_view field) { return !field.starts_with('*'); }

}  // namespace

Result<Cron> Cron::parse(std::string_view text) {
  const auto words = cron_words(text);
  if (words.size() != kCronFields.size())
    return fail(
        Code::Invalid,
        fmt::format("\"{}\" has {} fields: write five, minute, hour, day of the month, month and day of the "
                    "week, as \"0 2 * * SAT\"",
                    text, words.size()));
  Cron cron;
  cron.minutes_ = TRY(bits_of(kCronFields[0], words[0]));
  cron.hours_ = TRY(bits_of(kCronFields[1], words[1]));
  cron.days_ = TRY(bits_of(kCronFields[2], words[2]));
  cron.months_ = TRY(bits_of(kCronFields[3], words[3]));
  cron.weekdays_ = TRY(bits_of(kCronFields[4], words[4]));
  if (cron.weekdays_.test(kSunday)) cron.weekdays_.set(0);
  cron.either_day_ = is_restricted(words[2]) && is_restricted(words[4]);
  return cron;
}

bool Cron::has_day(std::chrono::local_days day) const {
  const std::chrono::year_month_day date(day);
  if (!months_.test(static_cast<unsigned>(date.month()))) return false;
  const bool by_date = days_.test(static_cast<unsigned>(date.day()));
  const bool by_weekday = weekdays_.test(std::chrono::weekday(day).c_encoding());
  return either_day_ ? by_date || by_weekday : by_date && by_weekday;
}

std::optional<std::chrono::seconds> Cron::first_time_of_day(std::chrono::seconds from) const {
  const auto earliest = std::chrono::ceil<std::chrono::minutes>(from);
  for (auto hour = std::chrono::floor<std::chrono::hours>(earliest); hour < 24h; ++hour) {
    if (!hours_.test(static_cast<std::size_t>(hour.count()))) continue;
    for (auto minute = std::max<std::chrono::minutes>(earliest, hour); minute < hour + 1h; ++minute)
      if (minutes_.test(static_cast<std::size_t>((minute - hour).count()))) return minute;
  }
  return {};
}

std::optional<LocalTime> Cron::next(LocalTime after) const {
  const LocalTime from = after + 1s;
  auto day = std::chrono::floor<std::chrono::days>(from);
  std::chrono::seconds time = from - day;
  for (const auto last = day + std::chrono::ceil<std::chrono::days>(kLongest); day <= last;
       ++day, time = 0s) {
    if (!has_day(day)) continue;
    if (const auto found = first_time_of_day(time)) return day + *found;
  }
  return {};
}

}  // namespace capstan
