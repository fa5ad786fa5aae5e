// The status a Cluster deserves after a turn. Pure: nothing new is read here.
#pragma once

#include "controllers/cluster/decide.h"

namespace capstan::controllers::cluster {

api::Cluster report(const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::cluster
