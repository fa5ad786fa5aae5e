#include "base/backoff.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace capstan {

Nanoseconds Backoff::delay(int failures, double chance) const {
  assert(chance >= 0 && chance < 1 && "chance is a part of one");
  if (failures <= 0) return Nanoseconds(0);
  const double limit = static_cast<double>(cap.count());
  const double grown = static_cast<double>(initial.count()) * std::pow(factor, failures - 1);
  const double wait = std::min(grown, limit) * (1 + jitter * chance);
  constexpr double kLongest = 9.2e18;  // what nanoseconds can hold
  return Nanoseconds(static_cast<std::int64_t>(std::min(wait, kLongest)));
}

}  // namespace capstan
