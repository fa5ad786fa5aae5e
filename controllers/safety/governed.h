// The Cluster of the object for which a brake is asked. Reads caches; safe from any thread.
#pragma once

#include <optional>

#include "controllers/shared/caches.h"
#include "controllers/shared/policies.h"
#include "runtime/brake.h"

namespace capstan::controllers::safety {

struct Governed {
  Snapshot<api::Cluster> cluster = {};  // null: not in the cache
  bool control_plane = false;           // a control plane Machine
};

// Of a MachineDeployment, MachineSet, MachinePool or Machine. Nothing: it is not in the cache, or no policy
// selects it.
std::optional<Governed> governed_by_policy(const Caches& caches, const runtime::Asker& asker);

}  // namespace capstan::controllers::safety
