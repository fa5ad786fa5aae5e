// All that a turn of a FleetPolicy looks at: the policy, the Machines and Clusters that ask for a place in
// its limits or have one, and how many Machines there are. Gathered by observe.h, judged by decide.h and
// report.h. A plain value.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/policy/fleet_policy.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "controllers/safety/fleet_limits.h"
#include "controllers/safety/windows.h"

namespace capstan::controllers::fleetpolicy {

using MachineSnapshot = std::shared_ptr<const api::Machine>;
using ClusterSnapshot = std::shared_ptr<const api::Cluster>;

// One that the status holds.
struct OpenGrant {
  api::FleetGrant grant = {};
  MachineSnapshot machine = {};  // null: it is gone, or the grant is for a VM
  ClusterSnapshot cluster = {};  // of that VM; null: it is gone, or the grant is for a Machine
};

struct Observation {
  Time now = {};
  std::shared_ptr<const api::FleetPolicy> policy = {};  // never null
  bool applied = true;                                  // it is the one that counts
  std::optional<std::string> frozen = {};               // what its annotation says
  safety::Windows windows = {};
  std::vector<OpenGrant> grants = {};
  std::vector<MachineSnapshot> machines = {};  // with a request or a grant, whatever the status holds
  // With a request or a grant for a VM that is no object's.
  std::vector<ClusterSnapshot> clusters = {};
  safety::WorkerCounts workers = {};  // of those Clusters, and those of the Machines
};

}  // namespace capstan::controllers::fleetpolicy
