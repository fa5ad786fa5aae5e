// The stories of health checks: what a fleet is, what happens to it, and what is promised of it. Read by
// health_scenarios_test.cc.
#pragma once

#include <vector>

#include "test/scenarios/health/health_world.h"

namespace capstan::scenarios {

std::vector<HealthStory> health_stories();

}  // namespace capstan::scenarios
