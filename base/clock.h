// The time seam. Wall time for stamps in objects, steady time for waiting; no other code reads a clock.
// Waiting itself is base/threads.h. Safe from any thread.
#pragma once

#include "base/instant.h"  // IWYU pragma: export

namespace capstan {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime now() const = 0;
  virtual SteadyTime steady_now() const = 0;
};

class SystemClock final : public Clock {
 public:
  WallTime now() const override;
  SteadyTime steady_now() const override;
};

}  // namespace capstan
