// Stories of what a policy asks for beside limits: preservations, times of one Machine, policies
// that are deleted in the middle, and keys of machine-controller-manager. Part of
// lifecycle_stories().
#pragma once

#include "test/scenarios/lifecycle/lifecycle_world.h"

namespace capstan::scenarios {

void tell_of_policies(std::vector<LifecycleStory>& stories);

}  // namespace capstan::scenarios
