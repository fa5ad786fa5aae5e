// Whether the API server of a Machine's cluster answers, and since when it has done so without a break. What
// a policy counts by time is counted from then on at the earliest: what happened to Nodes while they could
// not be looked at is not held against them. A plain value.
#pragma once

#include "base/time.h"

namespace capstan::controllers::lifecycle {

struct Contact {
  bool now = false;
  Time since = {};  // unset: not known

  bool holds() const { return now && since.is_set(); }
};

}  // namespace capstan::controllers::lifecycle
