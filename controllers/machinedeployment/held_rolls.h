// Keeps old MachineSets as large as they are while their Machines may not be deleted yet by the policy of the
// MachineDeployment: outside its windows, or too many in one step until a person confirms it. New Machines
// are made all the same. Used by decide.h, before the sets are written. Pure.
#pragma once

#include "controllers/machinedeployment/plan.h"

namespace capstan::controllers::machinedeployment {

struct RollStep {
  const rollout::Fleet& fleet;
  bool paused = false;  // no rollout: fewer Machines are wanted
  // Old sets make no Machine in the place of one that a user deleted: they become smaller by it.
  bool on_delete = false;
};

// True: a confirmation was used, and its annotation goes.
bool hold_rolls(const Observation& seen, const RollStep& step, rollout::Scaling& scaling, Plan& plan);

}  // namespace capstan::controllers::machinedeployment
