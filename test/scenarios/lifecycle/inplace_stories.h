// Stories of Machines that are updated in place. Joined to the others in lifecycle_stories.cc.
#pragma once

#include <vector>

#include "test/scenarios/lifecycle/lifecycle_world.h"

namespace capstan::scenarios {

void tell_of_updates_in_place(std::vector<LifecycleStory>& stories);

}  // namespace capstan::scenarios
