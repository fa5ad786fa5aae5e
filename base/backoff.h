// How long to wait before the next try: exponential, capped, with jitter. Pure: the caller counts failures
// and brings the chance, so the same inputs give the same delay.
#pragma once

#include "base/instant.h"

namespace capstan {

struct Backoff {
  Nanoseconds initial = std::chrono::milliseconds(5);
  double factor = 2;
  Nanoseconds cap = std::chrono::seconds(1000);
  double jitter = 0;  // 0.2: up to 20 % longer

  // Before try `failures + 1`; `chance` in [0, 1) picks the point within the jitter. Jitter may exceed the
  // cap.
  Nanoseconds delay(int failures, double chance = 0) const;
};

}  // namespace capstan
