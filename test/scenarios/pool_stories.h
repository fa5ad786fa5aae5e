// The stories of pools: what a pool is, what happens to it, and how it has to end. Read by
// pool_stories_test.cc.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "test/scenarios/pool_world.h"

namespace capstan::scenarios {

struct PoolStory {
  std::string name = {};   // of its file
  std::string title = {};  // its first line
  PoolWorld::Beginning beginning = {};
  std::vector<PoolAct> acts = {};
  bool from_nothing = false;        // else it begins with every instance's Node ready
  std::set<std::string> lies = {};  // Nodes that it may lose because the provider lied about them twice
  std::function<bool(const PoolWorld&)> end = {};  // else: has_arrived
};

std::vector<PoolStory> all_pool_stories();

// It runs, with the instances it wants and their Nodes.
bool has_arrived(const PoolWorld& world);

}  // namespace capstan::scenarios
