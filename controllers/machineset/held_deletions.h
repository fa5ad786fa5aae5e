// Takes out of a plan what may not be deleted yet by the policy of the Machines: outside its windows, or too
// many at once until a person confirms it. What is held stays as it is, and the next turn decides anew. A set
// that is being deleted, and an old one whose MachineDeployment has decided about its size, hold nothing.
// Used by decide.h. Pure.
#pragma once

#include "controllers/machineset/plan.h"

namespace capstan::controllers::machineset {

void hold_for_windows(const Observation& seen, Plan& plan);
// Last: what other brakes hold needs no confirmation.
void hold_for_confirmation(const Observation& seen, Plan& plan);
// The cause of each deletion is to be written on its Machine first, where a policy governs it.
void name_causes(const Observation& seen, Plan& plan);

}  // namespace capstan::controllers::machineset
