#include "controllers/safety/overshoot.h"

#include <algorithm>

namespace capstan::controllers::safety {

Count margin_above(const api::PolicyOvershoot& policy) {
  return policy.up.value_or(api::PolicyOvershoot::kUp);
}

OvershootLimits overshoot_limits(const api::PolicyOvershoot& policy, const Wanted& wanted) {
  const Count high = wanted.most() + margin_above(policy);
  const Count low = high - policy.down.value_or(api::PolicyOvershoot::kDown);
  return {.high = high, .low = std::max(low, wanted.most())};
}

bool overshoots(Count there, const OvershootLimits& limits, bool did_before) {
  return did_before ? there > limits.low : there >= limits.high;
}

}  // namespace capstan::controllers::safety
