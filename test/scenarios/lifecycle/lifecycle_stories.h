// The stories of the life of Machines: what a fleet is, what happens to it, and what is promised of it. Read
// by lifecycle_scenarios_test.cc.
#pragma once

#include <vector>

#include "test/scenarios/lifecycle/lifecycle_world.h"

namespace capstan::scenarios {

std::vector<LifecycleStory> lifecycle_stories();

}  // namespace capstan::scenarios
