// What the template of a set changes on a Machine that it has, and on that Machine's bootstrap and
// infrastructure objects, as actions of a plan. Used by decide.h. Pure.
#pragma once

#include "controllers/machineset/plan.h"

namespace capstan::controllers::machineset {

// Its objects come first: the fields of the Machine tell which of their labels are the set's.
void update_machine(const api::MachineSet& set, const UnsettledMachine& unsettled, Plan& plan);

}  // namespace capstan::controllers::machineset
