// Time zones by their names, from the tzdata of the system. The first call for a name reads a file of a few
// kilobytes, which is kept for the life of the process. Safe from any thread.
#pragma once

#include <string_view>

#include "base/time_zone.h"

namespace capstan {

// By its IANA name, "Europe/Berlin"; "UTC" needs no file. NotFound: the system has none of that name, or no
// tzdata; the message says what to do.
Result<TimeZone> read_time_zone(std::string_view name);

}  // namespace capstan
