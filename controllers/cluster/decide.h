// What is to become of a Cluster. Pure. So far: is it paused, and why; a paused Cluster is left alone
// altogether.
#pragma once

#include <string>

#include "controllers/cluster/observe.h"

namespace capstan::controllers::cluster {

struct Plan {
  bool paused = false;
  std::string why = {};  // for the condition; empty while not paused
};

Plan decide(const Observation& seen);

}  // namespace capstan::controllers::cluster
