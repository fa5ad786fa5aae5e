// What is to become of a DriverCluster and the control plane behind it. Pure.
#pragma once

#include "infrastructure/controller/cluster/observation.h"
#include "infrastructure/controller/cluster/plan.h"

namespace capstan::infrastructure::cluster {

Plan decide(const Observation& seen);

}  // namespace capstan::infrastructure::cluster
