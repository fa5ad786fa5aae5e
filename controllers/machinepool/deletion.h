// The end of a MachinePool, step by step: its two provider objects, its Nodes, its finalizer. Pure; act.h
// carries it out.
#pragma once

#include "controllers/machinepool/plan.h"

namespace capstan::controllers::machinepool {

// Whether Nodes are to be emptied, or their volumes to be waited for, before they go.
bool has_to_drain(const Observation& seen);
// A drain that began then is not waited for: it has taken too long, or there is to be none.
bool drain_is_over(const Observation& seen, Time started);
// The same of the wait for volumes that comes after it.
bool volume_wait_is_over(const Observation& seen, Time started);

Plan decide_deletion(const Observation& seen);

}  // namespace capstan::controllers::machinepool
