// How long a drain that is held up waits before it tries again: short at first, longer the longer it has
// lasted, so that a budget that allows nothing for two hours costs a Pod about thirty evictions. A function
// of the start that stands in the Machine's status: a restart changes nothing. Pure.
#pragma once

#include "base/time.h"

namespace capstan::controllers::drain {

inline constexpr Seconds kShortestPause{20};
inline constexpr Seconds kLongestPause{300};

// `lasted` since the drain (or the wait for volumes) has begun.
Seconds pause_after(Seconds lasted);

}  // namespace capstan::controllers::drain
