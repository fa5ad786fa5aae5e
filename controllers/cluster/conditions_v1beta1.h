// The conditions of a Cluster in the older form, which providers on old libraries still read. Pure.
#pragma once

#include "controllers/cluster/plan.h"

namespace capstan::controllers::cluster {

// Into the status of `after`, whose flags are up to date.
void set_v1beta1_conditions(const Observation& seen, const Plan& plan, api::Cluster& after);

}  // namespace capstan::controllers::cluster
