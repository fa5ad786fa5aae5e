// Which MachineLifecyclePolicy an object is governed by: the one that selects it, none, or none because
// several do. Asked by every controller that has a behaviour of its own to switch on. Pure, but for what is
// looked up in caches; safe from any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/meta/object_meta.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_set.h"
#include "runtime/snapshot.h"

namespace capstan::controllers {

using PolicySnapshot = runtime::Snapshot<api::MachineLifecyclePolicy>;

struct PolicyChoice {
  PolicySnapshot policy = {};  // null: Cluster API's behaviour
  // Names of all that select it, when they are more than one, and these themselves.
  std::vector<std::string> conflicting = {};
  std::vector<PolicySnapshot> rivals = {};
  bool operator==(const PolicyChoice&) const = default;
};

// Same namespace, and its labels match. A selector that can't be understood selects nothing.
bool selects(const api::MachineLifecyclePolicy& policy, const api::ObjectMeta& object);

// What the Machines of a template get, as far as policies are concerned.
api::ObjectMeta template_labels(const api::MachineDeployment& deployment);

// Of one object: a MachineSet without a MachineDeployment, a MachinePool.
PolicyChoice policy_for(const api::ObjectMeta& object, std::span<const PolicySnapshot> policies);
// Of what `object` and its owners are together: a MachineSet and its MachineDeployment. A policy that selects
// one of them governs it.
PolicyChoice policy_for(std::span<const api::ObjectMeta* const> object_and_owners,
                        std::span<const PolicySnapshot> policies);

// The brakes of policies that conflict hold all the same: the smallest margin of any of them.
std::optional<api::PolicyOvershoot> overshoot_of(const PolicyChoice& choice);

// --- by the caches; cheap where the namespace has no policy ---

class Caches;

// The MachineDeployment that controls the set; null: none does, or it is not in the cache.
runtime::Snapshot<api::MachineDeployment> deployment_of(const Caches& caches, const api::MachineSet& set);
PolicyChoice policy_for(const Caches& caches, const api::MachineSet& set);
// By its own labels or those of its template, which its MachineSets and Machines get.
PolicyChoice policy_for(const Caches& caches, const api::MachineDeployment& deployment);
// That of the MachineSet or MachinePool that controls it.
PolicyChoice policy_for(const Caches& caches, const api::Machine& machine);

// The policy, where it asks for more than stood before there was a life cycle; null otherwise.
PolicySnapshot lifecycle_policy(const PolicyChoice& choice);

}  // namespace capstan::controllers
