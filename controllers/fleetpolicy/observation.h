// All that a turn of a FleetPolicy looks at: the policy, the Machines that ask for a place in its limits or
// have one, and how many Machines there are. Gathered by observe.h, judged by decide.h and report.h. A plain
// value.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/policy/fleet_policy.h"
#include "api/v1beta2/machine.h"
#include "controllers/safety/fleet_limits.h"

namespace capstan::controllers::fleetpolicy {

using MachineSnapshot = std::shared_ptr<const api::Machine>;

// One that the status holds.
struct OpenGrant {
  api::FleetGrant grant = {};
  MachineSnapshot machine = {};  // null: it is gone
};

struct Observation {
  Time now = {};
  std::shared_ptr<const api::FleetPolicy> policy = {};  // never null
  bool applied = true;                                  // it is the one that counts
  std::optional<std::string> frozen = {};               // what its annotation says
  std::vector<std::string> window_problems = {};        // of its windows that never open
  std::vector<OpenGrant> grants = {};
  std::vector<MachineSnapshot> machines = {};  // with a request or a grant, whatever the status holds
  safety::WorkerCounts workers = {};           // of the Clusters of those Machines
};

}  // namespace capstan::controllers::fleetpolicy
