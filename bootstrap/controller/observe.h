// What the CloudConfig controller looks at before it decides: the object, the Machine or MachinePool
// and the Cluster it belongs to. Visits three objects per turn.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/time.h"
#include "bootstrap/controller/caches.h"

namespace capstan::bootstrap::controller {

struct Observation {
  Time now = {};
  bool fresh = true;                       // the cache knows all we wrote
  Snapshot<api::CloudConfig> object = {};  // never null
  std::optional<Owner> owner = {};         // nothing: none yet, or not in the cache
  Snapshot<api::Cluster> cluster = {};     // null: not in the cache
};

// Nothing when the object is gone.
std::optional<Observation> observe(const Caches& caches, const Clock& clock, const ObjectKey& key);

}  // namespace capstan::bootstrap::controller
