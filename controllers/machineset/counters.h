// Counters of a MachineSet's status. Pure.
#pragma once

#include "controllers/machineset/observe.h"

namespace capstan::controllers::machineset {

// replicas, ready, available, up to date, versions.
void count(const Observation& seen, api::MachineSetStatus& status);
// The older generation's: of live Nodes.
void count_v1beta1(const Observation& seen, api::V1Beta1MachineSetStatus& status);

}  // namespace capstan::controllers::machineset
