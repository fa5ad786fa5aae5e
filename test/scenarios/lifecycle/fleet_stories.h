// The stories of a fleet with limits: two Clusters under one FleetPolicy. Read by lifecycle_stories.cc.
#pragma once

#include <vector>

#include "test/scenarios/lifecycle/lifecycle_world.h"

namespace capstan::scenarios {

void tell_of_fleet_limits(std::vector<LifecycleStory>& stories);

}  // namespace capstan::scenarios
