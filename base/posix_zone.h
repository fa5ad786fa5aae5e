// The rule at the end of a time zone's file, for the years after its table: "CET-1CEST,M3.5.0,M10.5.0/3".
// Used by base/time_zone.cc. A plain value; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/instant.h"

namespace capstan {

class PosixZone {
 public:
  // Nothing: it can't be understood. Of the three ways to write a day the one that tzdata uses is read.
  static std::optional<PosixZone> parse(std::string_view text);

  Seconds offset_at(std::int64_t unix_seconds) const;

 private:
  // A weekday of a month, and a time on that day by the clock that is shown until then.
  struct Turn {
    unsigned month = 1;
    unsigned week = 1;  // 5: the last one
    unsigned weekday = 0;
    Seconds time{7200};
  };
  static std::optional<Turn> turn(std::string_view text);
  static Seconds local_moment(const Turn& turn, int year);

  Seconds standard_{0};
  Seconds summer_{0};
  std::optional<Turn> begin_ = {};  // of summer time; nothing: there is none
  std::optional<Turn> end_ = {};
};

}  // namespace capstan
