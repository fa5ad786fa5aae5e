// Stories of deletions that wait: for an API server, for a window, for the word of a person. Part of
// lifecycle_stories().
#pragma once

#include <vector>

#include "test/scenarios/lifecycle/lifecycle_world.h"

namespace capstan::scenarios {

void tell_of_held_deletions(std::vector<LifecycleStory>& stories);

}  // namespace capstan::scenarios
