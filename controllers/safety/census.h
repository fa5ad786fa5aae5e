// How many Machines there are of a MachineSet or MachineDeployment, its siblings' and released ones included,
// and what follows from that. Taken by take_census.h, part of Observations. A plain value.
#pragma once

#include "controllers/safety/ceiling.h"
#include "controllers/safety/freeze.h"
#include "controllers/safety/released.h"

namespace capstan::controllers::safety {

struct SetCensus {
  Frozen frozen = {};  // by a person or by number; a person comes first
  Ceiling ceiling = {};
  Released released = {};  // those that it noted and that still count
};

struct DeploymentCensus {
  Frozen frozen = {};
  Released lost = {};  // MachineSets
};

}  // namespace capstan::controllers::safety
