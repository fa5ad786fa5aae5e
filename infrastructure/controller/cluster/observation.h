// All that a turn of a DriverCluster looks at. Gathered by observe.h, judged by decide.h and report.h. A
// plain value.
#pragma once

#include <cstddef>

#include "api/driver/driver_cluster.h"
#include "api/meta/object_key.h"
#include "api/v1beta2/cluster.h"
#include "infrastructure/controller/orphans/classify.h"
#include "infrastructure/controller/orphans/settings.h"
#include "runtime/snapshot.h"

namespace capstan::infrastructure::cluster {

using runtime::Snapshot;

struct Observation {
  Time now = {};
  bool fresh = true;                         // the cache knows all we wrote
  bool makes_control_planes = true;          // false: the endpoint is a user's or another provider's matter
  bool ensured = false;                      // this process has seen to the control plane already
  Snapshot<api::DriverCluster> object = {};  // never null
  Snapshot<api::Cluster> cluster = {};       // the owner; null: none yet, or not in the cache
  api::ObjectKey cluster_key = {};
  std::size_t machines_left = 0;
  std::size_t pools_left = 0;
  std::optional<FoundOrphans> orphans = {};  // nothing: no account was listed yet
  OrphanSettings orphan_settings = {};
};

}  // namespace capstan::infrastructure::cluster
