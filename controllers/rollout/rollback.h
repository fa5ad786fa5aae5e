// Going back to the template of an earlier revision: which MachineSet has it, and what the template of the
// deployment becomes. Pure.
#pragma once

#include <span>
#include <string_view>

#include "controllers/rollout/new_set.h"

namespace capstan::controllers::rollout {

// The set of the revision that `wanted` names, as the annotation capstan.dev/rollback-to has it; of "0" the
// one with the highest revision among those that make other Machines than the deployment wants now. Null:
// there is none, or it is on its way out.
SetSnapshot set_to_go_back_to(std::string_view wanted, const api::MachineDeployment& deployment,
                              std::span<const SetSnapshot> sets);

// `present` with what rolls taken from `earlier`. The rest is carried over to old sets, too, and an edit of
// it that they have not seen yet stays.
api::MachineTemplate rolled_back(const api::MachineTemplate& present, const api::MachineTemplate& earlier);

}  // namespace capstan::controllers::rollout
