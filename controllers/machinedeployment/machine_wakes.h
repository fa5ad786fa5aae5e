// Which changes of a Machine its MachineDeployment has to hear of, beside what its MachineSets report: those
// that may let it grant another replacement, drop a named victim, count on one Machine less, or go on
// with an update in place. A turn looks at all its Machines, so one for each step of each of them would be
// dear. Used by triggers.cc. Pure.
#pragma once

#include <vector>

#include "api/core/node.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/machine_deployment.h"
#include "controllers/lifecycle/phase.h"

namespace capstan::controllers::machinedeployment {

// By what a MachineDeployment goes.
struct Heeded {
  std::vector<lifecycle::Phase> counted = {};  // that take a place of maxInFlight
  bool grants = false;                         // a policy replaces what is Unhealthy
  bool updates = false;                        // ... asks for updates in place, and there may be one
  bool numbers = false;                        // ... freezes by the number of Machines
  bool victims = false;                        // an annotation names some
};
// Null: no policy governs it.
Heeded heeded_by(const api::MachineDeployment& deployment, const api::MachineLifecyclePolicy* policy);

// When it has to hear of a change.
enum class Wake {
  None,
  Later,  // its MachineSet reports that Machine in a moment, and one turn for both is enough
  Now,
};
// Null: it was not there before, or is gone.
Wake wake_of(const api::Machine* before, const api::Machine* after, const Heeded& by);
// Whether it has to hear of other labels of the Machine's Node: those of an update in place, also of one that
// nothing asks for any more.
bool heeds_node_of(const api::Machine& machine, const api::Node& node, const Heeded& by);

// Of its last change, as far as it was acted upon.
bool is_rolled_out(const api::MachineDeployment& deployment);

}  // namespace capstan::controllers::machinedeployment
