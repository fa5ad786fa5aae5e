// The conditions of a Cluster in the form of today. Pure.
#pragma once

#include "controllers/cluster/effects.h"
#include "controllers/cluster/plan.h"

namespace capstan::controllers::cluster {

// Into the status of `after`, whose flags are up to date.
void set_conditions(const Observation& seen, const Plan& plan, const Effects& effects, api::Cluster& after);

}  // namespace capstan::controllers::cluster
