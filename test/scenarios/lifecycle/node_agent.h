// The agents on the Nodes of a story that updates Machines in place: each begins when its Node says that it
// is ready, and reports a result some time later, unless it fails or is silent. A plain value with its
// memory; driven by the world, second by second.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/time.h"
#include "kube/client.h"

namespace capstan::scenarios {

struct NodeAgent {
  Seconds takes{20};
  std::set<int> fails = {};   // Machines by their numbers
  std::set<int> silent = {};  // whose agent never reports

  // `numbers`: of Machines, by name, which is that of the Node.
  void work(kube::Client& cluster, Time now, const std::map<std::string, int>& numbers);

  std::map<std::string, Time> began = {};  // by Node and what it is to become
};

}  // namespace capstan::scenarios
