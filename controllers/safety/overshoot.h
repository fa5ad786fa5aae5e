// The freeze by number (spec.overshoot of a MachineLifecyclePolicy): with how many Machines too many no
// further ones are made, and with how few they are made again. Used by freeze.h and the ceiling. Pure.
#pragma once

#include <cstdint>

#include "api/policy/safety.h"

namespace capstan::controllers::safety {

using Count = std::int64_t;

// How many Machines an object should have, and may have above that for a while.
struct Wanted {
  Count replicas = 0;
  Count surge = 0;

  Count most() const { return replicas + surge; }
  bool operator==(const Wanted&) const = default;
};

// A MachineSet that no MachineDeployment steers is frozen with twice its replicas at the earliest, as
// machine-controller-manager does it.
constexpr Wanted wanted_by_lone_set(Count replicas) { return {.replicas = replicas, .surge = replicas}; }

Count margin_above(const api::PolicyOvershoot& policy);

struct OvershootLimits {
  Count high = 0;  // with as many it freezes
  Count low = 0;   // with as many it opens
  bool operator==(const OvershootLimits&) const = default;
};
// `low` is never below what is wanted: with that many there is nothing left that would have to go.
OvershootLimits overshoot_limits(const api::PolicyOvershoot& policy, const Wanted& wanted);

bool overshoots(Count there, const OvershootLimits& limits, bool did_before);

}  // namespace capstan::controllers::safety
