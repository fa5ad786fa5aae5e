// Updates in place of one MachineDeployment: what happens to its Machines and their Nodes in this turn, and
// how its MachineSets count those that change between them. Asked by the MachineDeployment controller at each
// turn; where nothing asks for updates in place the plan is empty. Pure.
#pragma once

#include "controllers/inplace/situation.h"

namespace capstan::controllers::inplace {

Plan decide(const Question& ask);

}  // namespace capstan::controllers::inplace
