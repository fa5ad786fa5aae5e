// Makes Machines: for each the Machine, then as its own a bootstrap object and an infrastructure object, all
// under one name; several Machines at once, few at first, so that a server that refuses is not asked a
// thousand times. Blocks until all are made, one was refused, or the time for it is over. A Machine whose
// objects were refused stays, says so, and is finished later.
#pragma once

#include "controllers/machineset/act.h"

namespace capstan::controllers::machineset {

// A turn that makes something. All of it lives longer.
struct Creation {
  const ActContext& with;
  const Settings& settings;
  const Observation& seen;
  Effects& effects;
};

void create_machines(const Creation& turn, std::int32_t count);

// One after the other, each after a live look.
void finish_machines(const Creation& turn, const std::vector<UnsettledMachine>& machines);

}  // namespace capstan::controllers::machineset
