// TimeZone: what a clock on the wall shows in a place, now and in years to come. base/zone_files.h finds one
// by its name. A plain value; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/cron.h"
#include "base/posix_zone.h"
#include "base/time.h"

namespace capstan {

class TimeZone {
 public:
  TimeZone() = default;  // UTC
  // Of a file's bytes, as RFC 8536 describes them.
  static Result<TimeZone> parse(std::string_view bytes);

  LocalTime local(Time moment) const;
  // When the clock shows that. Of two such moments the first; a time that the clock leaves out is the moment
  // at which it does so.
  Time moment(LocalTime time) const;

 private:
  struct Change {
    std::int64_t at = 0;
    Seconds offset{0};
  };

  Seconds offset_at(std::int64_t unix_seconds) const;

  Seconds first_{0};  // before the first change
  std::vector<Change> changes_ = {};
  std::optional<PosixZone> later_ = {};  // after the last change
};

// The first moment of `cron` in that zone later than `after`; nothing: there is none.
std::optional<Time> next_moment(const Cron& cron, const TimeZone& zone, Time after);

}  // namespace capstan
