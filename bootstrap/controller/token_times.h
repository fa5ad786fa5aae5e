// How long a bootstrap token lasts, and when it is looked at again. Pure.
#pragma once

#include "base/instant.h"
#include "bootstrap/controller/observation.h"

namespace capstan::bootstrap::controller {

// A token outlives the creation timeout by so much: a cluster whose clock is an hour off ours still takes it.
inline constexpr Seconds kMargin{2 * 60 * 60};
// Of a pool's token.
inline constexpr Seconds kRotation{24 * 60 * 60};
// What does not wake us by itself: a Secret that appears, a workload cluster that answers again.
inline constexpr Seconds kLookAgain{15};

// How long a new or extended token lasts.
Seconds lifetime(const Observation& seen);
// Only a pool's token grows old: a machine's goes when it has joined.
bool is_old(const Observation& seen, const Token& token);
// Whether it is extended now, if there is a Node to wait for.
bool ends_soon(const Observation& seen, const Token& token);
// Of a token that is new, was extended in this turn, or has time left.
Seconds next_look(const Observation& seen, const Token& token);

}  // namespace capstan::bootstrap::controller
