// What a changed spec.selector of a MachineDeployment would let go of. MachineSets follow its selector; one
// whose labels it does not match any more is released with its Machines, once a user has confirmed that.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "controllers/machinedeployment/observation.h"

namespace capstan::controllers::machinedeployment {

// Machines that would be released by what the selector is now, and how to confirm or prevent that; empty
// where nothing is to be asked. While it says something nothing is released, made, scaled or rolled.
std::string release_to_confirm(const Observation& seen);
inline bool awaits_release(const Observation& seen) { return !release_to_confirm(seen).empty(); }

// MachineSets with Machines that it does not match. Only to be done when nothing is left to confirm.
std::vector<Snapshot<api::MachineSet>> sets_to_release(const Observation& seen);

// What the annotation capstan.dev/released is to say: those it has lost, and those it is about to lose.
safety::Released sets_to_note(const Observation& seen);

}  // namespace capstan::controllers::machinedeployment
