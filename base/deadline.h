// Deadline: how long may I wait. An absolute steady time and the stop token of the caller. A small value,
// passed down through every call that can block.
#pragma once

#include <stop_token>

#include "base/clock.h"

namespace capstan {

struct Deadline {
  SteadyTime at = SteadyTime::max();
  std::stop_token stop = {};

  static Deadline never(std::stop_token stop = {}) {
    return {.at = SteadyTime::max(), .stop = std::move(stop)};
  }
  static Deadline in(const Clock& clock, Nanoseconds span, std::stop_token stop = {}) {
    return {.at = clock.steady_now() + span, .stop = std::move(stop)};
  }

  bool stopped() const { return stop.stop_requested(); }
  bool passed(SteadyTime now) const { return now >= at || stopped(); }
  // The same stop token, no later than `other`.
  Deadline no_later_than(SteadyTime other) const { return {.at = other < at ? other : at, .stop = stop}; }
};

}  // namespace capstan
