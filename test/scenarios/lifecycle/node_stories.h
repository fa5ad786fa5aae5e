// Stories of what a policy writes on Nodes: its nodeTemplate, and what keeps the autoscaler off during a
// rollout. Part of lifecycle_stories().
#pragma once

#include <vector>

#include "test/scenarios/lifecycle/lifecycle_world.h"

namespace capstan::scenarios {

void tell_of_nodes(std::vector<LifecycleStory>& stories);
// And of a provider that has none for another VM.
void tell_of_room(std::vector<LifecycleStory>& stories);

}  // namespace capstan::scenarios
