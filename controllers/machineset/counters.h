// Counters of a MachineSet's status. Pure.
#pragma once

#include <span>
#include <string>

#include "controllers/machineset/observation.h"

namespace capstan::controllers::machineset {

// replicas, ready, available, up to date, versions. A Machine on its way out is not available, whatever its
// condition still says.
void count(const Observation& seen, std::span<const std::string> just_deleted, api::MachineSetStatus& status);
// The older generation's: of live Nodes. While those can't be seen, the numbers stay as they stand, but for
// Machines that have left.
void count_v1beta1(const Observation& seen, api::V1Beta1MachineSetStatus& status);

}  // namespace capstan::controllers::machineset
