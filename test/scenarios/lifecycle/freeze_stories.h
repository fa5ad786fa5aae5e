// Stories of freezes, by a person and by number, and of the ceiling. Joined to the others in
// lifecycle_stories.cc.
#pragma once

#include <vector>

#include "test/scenarios/lifecycle/lifecycle_world.h"

namespace capstan::scenarios {

void tell_of_freezes(std::vector<LifecycleStory>& stories);

}  // namespace capstan::scenarios
