// The brakes that hold VMs back, as Clusters and MachinePools show them: a freeze of the Cluster, the fleet
// or the MachinePool, and an API server that the core does not reach. Read by the turns of machines, pools
// and clusters. Pure.
#pragma once

#include <string>

#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine_pool.h"
#include "runtime/snapshot.h"

namespace capstan::infrastructure {

// Why, and what opens it; empty: nothing holds it.
struct Brakes {
  std::string creations = {};
  std::string deletions = {};  // of what a user has not deleted
  bool operator==(const Brakes&) const = default;
};

// Of VMs of a Cluster, none of which is a control plane's.
Brakes brakes_of(const api::Cluster& cluster);
// Of instances of a pool. One that has too many for its replicas may lose some, and makes none.
Brakes brakes_of(const api::Cluster& cluster, const api::MachinePool& pool);

// A person has frozen the Cluster, or the whole fleet, which the core writes on each Cluster.
bool is_frozen(const api::Cluster& cluster);
// A core that has not said anything yet has no evidence. Before the control plane is initialized there is
// nothing to reach.
bool is_out_of_reach(const api::Cluster& cluster);

// For triggers: what wakes what was held.
bool changes_brakes(const runtime::Change<api::Cluster>& change);
bool changes_brakes(const runtime::Change<api::MachinePool>& change);

}  // namespace capstan::infrastructure
