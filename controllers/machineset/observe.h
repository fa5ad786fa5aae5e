// Gathers what a turn of a MachineSet looks at. Visits the Machines of the set, the Machines of its Cluster
// that nothing controls, and a handful of single objects. Reads caches only and never blocks.
#pragma once

#include "controllers/machineset/memory.h"
#include "controllers/machineset/observation.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machineset {

// `stored` as prepare() left it. What is known of settled Machines moves from the memory into the
// Observation.
Observation observe(const ObserveContext& with, Memory& memory, const Snapshot<api::MachineSet>& stored);

}  // namespace capstan::controllers::machineset
