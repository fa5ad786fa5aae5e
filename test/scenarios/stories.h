// The stories: what a fleet is, what happens to it, and how it has to end. Read by scenarios_test.cc.
#pragma once

#include <string>
#include <vector>

#include "test/scenarios/rollout_world.h"

namespace capstan::scenarios {

struct Story {
  std::string name = {};   // of its file
  std::string title = {};  // its first line
  api::MachineDeployment deployment = {};
  Behaviour behaviour = {};
  bool from_nothing = false;                          // else it begins with every Machine available
  std::function<bool(const RolloutWorld&)> end = {};  // else: has_arrived
};

std::vector<Story> all_stories();

// One set with all its Machines available, and nothing else.
bool is_settled(const RolloutWorld& world);
// The same, and the Machines are those the template asks for.
bool has_arrived(const RolloutWorld& world);

}  // namespace capstan::scenarios
