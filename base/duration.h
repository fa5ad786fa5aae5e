// Spans of time as Go writes and reads them ("1h0m0s", "1.5s", "300ms"): what flags, metav1.Duration fields
// and messages use. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"

namespace capstan {

Result<Nanoseconds> parse_duration(std::string_view text);
std::string format_duration(Nanoseconds span);

}  // namespace capstan
