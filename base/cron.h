// Cron: moments that come again and again, written as crontab writes them ("0 2 * * SAT"). Local time without
// a zone: base/time_zone.h tells when that is. Values; pure functions.
#pragma once

#include <bitset>
#include <chrono>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace capstan {

using LocalTime = std::chrono::local_seconds;

class Cron {
 public:
  // Five fields: minute, hour, day of the month, month, day of the week (0 and 7 are Sunday). Each is a list
  // of numbers, ranges (1-5) and steps (*/15, 10-40/10); months and days of the week have names (JAN, MON),
  // too. The error names the field, and what it may be.
  static Result<Cron> parse(std::string_view text);

  // The first moment later than `after`; nothing when there is none, as on the thirtieth of February.
  std::optional<LocalTime> next(LocalTime after) const;

 private:
  using Numbers = std::bitset<64>;

  bool has_day(std::chrono::local_days day) const;
  std::optional<std::chrono::seconds> first_time_of_day(std::chrono::seconds from) const;

  Numbers minutes_ = {};
  Numbers hours_ = {};
  Numbers days_ = {};
  Numbers months_ = {};
  Numbers weekdays_ = {};
  // Both day fields are restricted: one that matches is enough, as with crontab.
  bool either_day_ = false;
};

}  // namespace capstan
