// Which MachineLifecyclePolicy an object is governed by: the one that selects it, none, or none because
// several do. Asked by every controller that has a behaviour of its own to switch on. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/meta/object_meta.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "runtime/snapshot.h"

namespace capstan::controllers {

using PolicySnapshot = runtime::Snapshot<api::MachineLifecyclePolicy>;

struct PolicyChoice {
  PolicySnapshot policy = {};                 // null: Cluster API's behaviour
  std::vector<std::string> conflicting = {};  // names of all that select it, when they are more than one
  bool operator==(const PolicyChoice&) const = default;
};

// Same namespace, and its labels match. A selector that can't be understood selects nothing.
bool selects(const api::MachineLifecyclePolicy& policy, const api::ObjectMeta& object);

// Of one object: a MachineDeployment, a MachineSet without one, a MachinePool.
PolicyChoice policy_for(const api::ObjectMeta& object, std::span<const PolicySnapshot> policies);
// Of what `object` and its owners are together: a MachineSet and its MachineDeployment. A policy that selects
// one of them governs it.
PolicyChoice policy_for(std::span<const api::ObjectMeta* const> object_and_owners,
                        std::span<const PolicySnapshot> policies);

}  // namespace capstan::controllers
