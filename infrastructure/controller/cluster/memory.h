// What the DriverCluster controller remembers between turns, and its flags. Losing it costs one question to
// the control planes per cluster. Safe from any thread.
#pragma once

#include <set>

#include "api/meta/object_key.h"
#include "base/guarded.h"

namespace capstan::infrastructure::cluster {

struct Memory {
  const bool makes_control_planes = true;  // false: the endpoint is a user's or another provider's matter
  Guarded<std::set<api::ObjectKey>> ensured = {};  // control planes do not outlive this process by themselves
};

}  // namespace capstan::infrastructure::cluster
