// What the DriverCluster controller looks at before it decides: the object, its Cluster and how many
// DriverMachines and DriverMachinePools the cluster has left. Visits two objects and two indexes per turn.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/time.h"
#include "infrastructure/controller/caches.h"

namespace capstan::infrastructure::cluster {

struct Observation {
  Time now = {};
  bool fresh = true;                         // the cache knows all we wrote
  bool makes_control_planes = true;          // false: the endpoint is a user's or another provider's matter
  bool ensured = false;                      // this process has seen to the control plane already
  Snapshot<api::DriverCluster> object = {};  // never null
  Snapshot<api::Cluster> cluster = {};       // the owner; null: none yet, or not in the cache
  ObjectKey cluster_key = {};
  std::size_t machines_left = 0;
  std::size_t pools_left = 0;
};

// Nothing when the object is gone.
std::optional<Observation> observe(const Caches& caches, const Clock& clock, const ObjectKey& key);

}  // namespace capstan::infrastructure::cluster
