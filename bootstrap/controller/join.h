// The bootstrap token of a machine that joins, or of a pool's machines: which one it is, when it is made, and
// that the data Secret has it. Pure.
#pragma once

#include "bootstrap/controller/observation.h"
#include "bootstrap/controller/plan.h"

namespace capstan::bootstrap::controller {

// Of an observation in which the Secrets and the tokens are known.
void join(const Observation& seen, Plan& plan);

runtime::Waiting no_authority(const Observation& seen);
runtime::Waiting no_workload(const Observation& seen);

}  // namespace capstan::bootstrap::controller
