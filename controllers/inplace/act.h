// Carries out the actions of updates in place, one by one as the plan of the MachineDeployment has them. Each
// write is safe to repeat. Blocks as the clients do; safe from any thread.
#pragma once

#include <optional>
#include <string>

#include "api/v1beta2/machine_deployment.h"
#include "controllers/inplace/updates.h"

namespace capstan::controllers::inplace {

struct Ground {
  const ActContext& with;
  Updates& updates;
  const api::MachineDeployment& deployment;  // whose Events tell of failures, too
  DrainGround drain;
};

struct Done {
  std::optional<Seconds> recheck = {};
  std::string held = {};  // what holds up a drain; empty: nothing
};
// Success also when the object has gone since. Conflict when it has changed: the turn is repeated.
Result<Done> act(const Ground& ground, const Action& action);

// The server shows the Machine in the version that was seen; Conflict otherwise. A cache of Machines may be
// behind one of MachineSets, after a change of leaders above all, and a Machine that has moved long since
// would be counted once more.
Result<void> confirm(const ActContext& with, const api::Machine& machine);

}  // namespace capstan::controllers::inplace
