// The words for time: wall time for stamps in objects, steady time for waiting, spans between them. What a
// pure function includes to take `now` as a value; reading a clock is base/clock.h.
#pragma once

#include <chrono>

namespace capstan {

using WallTime = std::chrono::sys_time<std::chrono::nanoseconds>;
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;
using Nanoseconds = std::chrono::nanoseconds;
using Seconds = std::chrono::seconds;

}  // namespace capstan
