// Stories of incidents that cost others Machines, beside those that the stories of each brake tell. Added by
// lifecycle_stories().
#pragma once

#include "test/scenarios/lifecycle/lifecycle_world.h"

namespace capstan::scenarios {

void tell_of_incidents(std::vector<LifecycleStory>& stories);

}  // namespace capstan::scenarios
