// How many Machines a MachineDeployment may have and must keep while it rolls: maxSurge and maxUnavailable,
// resolved against its replicas. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "api/v1beta2/machine_deployment.h"
#include "base/result.h"

namespace capstan::controllers::rollout {

// Wide enough that replicas + surge can't overflow.
using Count = std::int64_t;

struct Limits {
  Count desired = 0;
  Count surge = 0;        // above desired
  Count unavailable = 0;  // below desired; never more than desired itself

  Count most() const { return desired + surge; }
  Count least_available() const { return std::max<Count>(desired - unavailable, 0); }
  bool operator==(const Limits&) const = default;
};

// Of a deployment with its defaults applied. maxSurge rounds up, maxUnavailable down; both nothing would
// never move, so one may be missing then. Invalid when a value is neither a number nor a percentage.
Result<Limits> limits_of(const api::MachineDeployment& deployment);

bool is_on_delete(const api::MachineDeployment& deployment);

}  // namespace capstan::controllers::rollout
