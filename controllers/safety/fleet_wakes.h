// Whose Machines wait for a place in the limits of the FleetPolicy, and when a change of it may let them go
// on. Used by triggers.
#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "api/names.h"
#include "api/policy/fleet_policy.h"
#include "controllers/shared/caches.h"
#include "runtime/triggers.h"

namespace capstan::controllers::safety {

// Whether there are limits, and a manager that grants: all that owners of Machines read of it.
inline bool has_other_limits(const runtime::Change<api::FleetPolicy>& change) {
  if (change.initial) return false;
  if (!change.before || !change.after) return true;
  const auto facts = [](const api::FleetPolicy& policy) {
    return std::tuple{policy.spec.limits.empty(), policy.metadata.deleting(),
                      policy.status.observed_generation > 0};
  };
  return facts(*change.before) != facts(*change.after);
}

// Of one kind, such as MachineSet.
inline std::vector<kube::ObjectKey> owners_that_wait(const Caches& caches, std::string_view kind) {
  std::vector<kube::ObjectKey> keys;
  for (const auto& machine : caches.machines_with_fleet_request()) {
    const runtime::Change<api::Machine> waiting{.after = machine};
    for (kube::ObjectKey& key : runtime::owners_of_kind(waiting, api::group::kCluster, kind))
      keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace capstan::controllers::safety
