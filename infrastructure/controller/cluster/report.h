// The status a DriverCluster deserves after a turn. Pure: nothing new is read here.
#pragma once

#include "infrastructure/controller/cluster/decide.h"
#include "infrastructure/controller/cluster/effects.h"

namespace capstan::infrastructure::cluster {

api::DriverCluster report(const Observation& seen, const Plan& plan, const Effects& effects);

}  // namespace capstan::infrastructure::cluster
