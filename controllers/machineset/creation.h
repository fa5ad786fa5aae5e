// Makes Machines: for each the Machine, then as its own a bootstrap object and an infrastructure object, all
// under one name; several Machines at once, few at first, so that a server that refuses is not asked a
// thousand times. Blocks until all are made, one was refused, or the time for it is over. A Machine whose
// objects were refused stays, says so, and is finished later.
#pragma once

#include "controllers/machineset/act.h"

namespace capstan::controllers::machineset {

void create_machines(const ActContext& with, const Observation& seen, std::int32_t count, Effects& effects);

// One after the other, each after a live look.
void finish_machines(const ActContext& with, const Observation& seen,
                     const std::vector<const UnsettledMachine*>& machines, Effects& effects);

}  // namespace capstan::controllers::machineset
