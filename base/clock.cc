#include "base/clock.h"

namespace capstan {

WallTime SystemClock::now() const {
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
}

SteadyTime SystemClock::steady_now() const {
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now());
}

}  // namespace capstan
