// Takes out of a plan what may not be deleted yet by the policy of the Machines: outside its windows, or too
// many at once until a person confirms it. What is held stays as it is, and the next turn decides anew. A set
// that is being deleted, and an old one whose MachineDeployment has decided about its size, hold nothing.
// Used by decide.h. Pure.
#pragma once

#include "controllers/machineset/plan.h"

namespace capstan::controllers::machineset {

// As what a person confirms a deletion: by the generation of the set.
std::string confirmed_as(const Observation& seen);

// Nothing: it does not wait.
std::optional<safety::Cause> cause_of(const Observation& seen, const DeleteMachine& removal);

// On a Machine that says another reason for which it waits: of a health check's.
void say_held(const Observation& seen, const DeleteMachine& removal, std::vector<Action>& actions);

void hold_for_windows(const Observation& seen, Plan& plan);
// Last: what other brakes hold needs no confirmation.
void hold_for_confirmation(const Observation& seen, Plan& plan);
// The cause of a scale in or rollout is to be written on its Machine first, where a policy governs it, and
// comes off one that lives on after all. At the very end.
void name_causes(const Observation& seen, Plan& plan);

}  // namespace capstan::controllers::machineset
