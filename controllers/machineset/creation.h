// Makes Machines: for each a bootstrap object, an infrastructure object and the Machine, in this order and
// under one name; several Machines at once, few at first, so that a server that refuses is not asked a
// thousand times. Blocks until all are made, one was refused, or the time for it is over.
#pragma once

#include "controllers/machineset/act.h"

namespace capstan::controllers::machineset {

void create_machines(const Act& with, const Observation& seen, std::int32_t count, Effects& effects);

}  // namespace capstan::controllers::machineset
