// Whose Machines wait for a place in the limits of the FleetPolicy, and when a change of it may let them go
// on. Used by triggers.
#pragma once

#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "api/names.h"
#include "api/policy/fleet_policy.h"
#include "api/policy/fleet_request.h"
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

inline std::vector<kube::ObjectKey> owners_of(const std::vector<runtime::Snapshot<api::Machine>>& machines,
                                              std::string_view kind) {
  std::vector<kube::ObjectKey> keys;
  for (const auto& machine : machines) {
    const runtime::Change<api::Machine> waiting{.after = machine};
    for (kube::ObjectKey& key : runtime::owners_of_kind(waiting, api::group::kCluster, kind))
      keys.push_back(std::move(key));
  }
  return keys;
}

// Machines whose grant is new in the status, and that show it already: of two watches this one was behind.
inline std::vector<runtime::Snapshot<api::Machine>> granted_late(
    const Caches& caches, const runtime::Change<api::FleetPolicy>& change) {
  std::vector<runtime::Snapshot<api::Machine>> late;
  if (!change.after) return late;
  std::unordered_set<api::Uid> known;
  if (change.before) {
    for (const api::FleetGrant& grant : change.before->status.grants) known.insert(grant.uid);
  }
  for (const api::FleetGrant& grant : change.after->status.grants) {
    if (known.contains(grant.uid)) continue;
    auto machine = caches.machines.get({.namespace_ = grant.namespace_.str(), .name = grant.name.str()});
    if (machine && api::policy::has_fleet_grant(machine->metadata)) late.push_back(std::move(machine));
  }
  return late;
}

// Of one kind, such as MachineSet: those that a change of the FleetPolicy lets go on.
inline std::vector<kube::ObjectKey> owners_to_wake(const Caches& caches,
                                                   const runtime::Change<api::FleetPolicy>& change,
                                                   std::string_view kind) {
  return owners_of(
      has_other_limits(change) ? caches.machines_with_fleet_request() : granted_late(caches, change), kind);
}

}  // namespace capstan::controllers::safety
