// What a turn does about a MachineDeployment or MachineSet of a topology. A plain value.
#pragma once

#include "controllers/topology/observation.h"

namespace capstan::controllers::topology {

struct Plan {
  bool put_finalizer = false;
  // Of one on its way out; the finalizer goes when they are gone.
  bool clean_up = false;
  Templates templates = {};
  bool health_check = false;
  bool operator==(const Plan&) const = default;
};

}  // namespace capstan::controllers::topology
