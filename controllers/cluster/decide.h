// What is to become of a Cluster: its provider objects owned, its endpoint and flags filled in, its
// kubeconfig kept, or everything below it taken down in order. Pure.
#pragma once

#include "controllers/cluster/plan.h"

namespace capstan::controllers::cluster {

Plan decide(const Observation& seen);

}  // namespace capstan::controllers::cluster
