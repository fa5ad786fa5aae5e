// How a Cluster goes: workers first, then the control plane, then the infrastructure, then itself. Pure; the
// step is found anew from what is there.
#pragma once

#include "controllers/cluster/plan.h"

namespace capstan::controllers::cluster {

void decide_deletion(const Observation& seen, Plan& plan);

}  // namespace capstan::controllers::cluster
