// When a rollout is over, and which old MachineSets may go then. No history is kept, as upstream keeps none,
// unless a policy asks for it. Pure.
#pragma once

#include <span>
#include <vector>

#include "controllers/rollout/moves.h"

namespace capstan::controllers::rollout {

// Every Machine is there, up to date and available, and the deployment's status has said so for this spec.
bool is_complete(const api::MachineDeployment& deployment, const Choice& choice);

// Old sets that are empty by their spec, by their status and by the Machines there are (`owned`: all that
// name one of the sets as owner), but for the `kept` ones of the highest revisions. None before the rollout
// is complete.
std::vector<SetSnapshot> finished_sets(const api::MachineDeployment& deployment, const Choice& choice,
                                       std::span<const MachineSnapshot> owned, std::size_t kept = 0);

}  // namespace capstan::controllers::rollout
