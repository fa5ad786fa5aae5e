// status.controlPlane and status.workers: how many Machines are wanted, there, and in which state. Pure.
#pragma once

#include "controllers/cluster/plan.h"

namespace capstan::controllers::cluster {

void count_replicas(const Observation& seen, api::Cluster& after);

}  // namespace capstan::controllers::cluster
