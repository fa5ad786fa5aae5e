// The stories of drains: what runs on a Node, what happens while its Machine goes, and what is promised of
// it. Read by drain_scenarios_test.cc.
#pragma once

#include <vector>

#include "test/scenarios/drain/drain_stage.h"

namespace capstan::scenarios {

std::vector<DrainStory> drain_stories();

}  // namespace capstan::scenarios
